import AuthStateJOSE
import AuthStateOAuth
import Testing

struct MetadataMergingTests {
    @Test(
        "RFC 8414 asks for less than OpenID Connect (section 2)",
        arguments: [
            ([:], nil), (["token_endpoint": nil], "token_endpoint"),
            (["response_types_supported": nil], "response_types_supported"),
            (["authorization_endpoint": nil], "authorization_endpoint"),
            (["authorization_endpoint": nil, "grant_types_supported": ["implicit"]], "authorization_endpoint"),
            (["authorization_endpoint": nil, "grant_types_supported": ["client_credentials"]], nil),
        ] as [([String: JSONValue?], String?)])
    func required(_ changes: [String: JSONValue?], _ lacking: String?) throws {
        var members: [String: JSONValue?] = [
            "jwks_uri": nil, "subject_types_supported": nil, "id_token_signing_alg_values_supported": nil,
        ]
        members.merge(changes) { $1 }
        let metadata = try Fixtures.metadata(members)
        func read() throws -> ProviderConfiguration {
            try ProviderConfiguration(
                metadata: metadata, issuer: Issuer("https://op.example"), kind: .authorizationServer)
        }
        guard let lacking else {
            #expect(try read().jwksURI == nil)
            return
        }
        let error = refusal { try read() }
        #expect(error?.code == .invalidMetadata && error?.message.contains(lacking) == true)
    }

    @Test func `only missing endpoints are adopted, with their authentication methods`() throws {
        let own = try Fixtures.metadata(["introspection_endpoint": "https://op.example/own"])
        let other = try Fixtures.metadata([
            "token_endpoint": "https://op.example/other", "introspection_endpoint": "https://op.example/other",
            "introspection_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint": "https://op.example/revoke",
            "revocation_endpoint_auth_methods_supported": ["client_secret_post"],
            "device_authorization_endpoint": "https://op.example/device", "code_challenge_methods_supported": ["plain"],
            "vendor": 5,
        ])
        var expected = own.document
        expected["revocation_endpoint"] = "https://op.example/revoke"
        expected["revocation_endpoint_auth_methods_supported"] = ["client_secret_post"]
        expected["device_authorization_endpoint"] = "https://op.example/device"
        #expect(try own.completed(by: other).document == expected)
    }

    @Test(
        "a document may be completed when it lacks what RFC 8414 defines",
        arguments: ["registration_endpoint", "revocation_endpoint", "introspection_endpoint"])
    func needs(_ name: String) throws {
        var members: [String: JSONValue?] = [
            "registration_endpoint": "https://op.example/r", "revocation_endpoint": "https://op.example/r",
            "introspection_endpoint": "https://op.example/r",
        ]
        #expect(try !Fixtures.metadata(members).mayBeCompleted)
        members[name] = .some(nil)
        #expect(try Fixtures.metadata(members).mayBeCompleted)
    }
}
