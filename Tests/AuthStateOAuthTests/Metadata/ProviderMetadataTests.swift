import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateOAuth

struct ProviderMetadataTests {
    private static func sample(_ type: ProviderMetadata.MemberType) -> JSONValue {
        switch type {
        case .string: "text"
        case .url: "https://op.example/x"
        case .strings, .words: ["a", "b"]
        case .flag: true
        case .object: ["token_endpoint": "https://mtls.example/token"]
        }
    }

    private static let full: ProviderMetadata? = try? ProviderMetadata(
        document: ProviderMetadata.members.mapValues(sample))

    @Test("every member that the specifications define is read by its type")
    func members() throws {
        let metadata = try #require(Self.full)
        for (name, type) in ProviderMetadata.members {
            switch type {
            case .string: #expect(metadata.string(name) == "text", "\(name)")
            case .url: #expect(metadata.url(name)?.absoluteString == "https://op.example/x", "\(name)")
            case .strings, .words: #expect(metadata.strings(name) == ["a", "b"], "\(name)")
            case .flag: #expect(metadata.flag(name) == true, "\(name)")
            case .object: #expect(metadata.object(name)?["token_endpoint"] == "https://mtls.example/token", "\(name)")
            }
        }
    }

    @Test("every endpoint is read")
    func endpoints() throws {
        let metadata = try #require(Self.full)
        let urls = [
            metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.userInfoEndpoint, metadata.jwksURI,
            metadata.registrationEndpoint, metadata.revocationEndpoint, metadata.introspectionEndpoint,
            metadata.endSessionEndpoint, metadata.deviceAuthorizationEndpoint,
            metadata.pushedAuthorizationRequestEndpoint, metadata.backchannelAuthenticationEndpoint,
        ]
        for url in urls { #expect(url?.absoluteString == "https://op.example/x") }
        #expect(metadata.issuer == "text")
    }

    @Test func `every list that has a property is read`() throws {
        let metadata = try #require(Self.full)
        let lists = [
            metadata.scopesSupported, metadata.responseModesSupported, metadata.grantTypesSupported,
            metadata.idTokenSigningAlgValuesSupported, metadata.requestObjectSigningAlgValuesSupported,
            metadata.tokenEndpointAuthMethodsSupported, metadata.codeChallengeMethodsSupported,
            metadata.dpopSigningAlgValuesSupported, metadata.promptValuesSupported,
            metadata.backchannelTokenDeliveryModesSupported,
        ]
        for list in lists { #expect(list == ["a", "b"]) }
    }

    @Test func `a list without elements is absent`() throws {
        let name = "code_challenge_methods_supported"
        #expect(try ProviderMetadata(document: [name: []]).codeChallengeMethodsSupported == nil)
        #expect(try ProviderMetadata(document: [name: ["plain"]]).codeChallengeMethodsSupported == ["plain"])
        for scopes in [JSONValue.array([]), " "] {
            #expect(try ProviderMetadata(document: ["scopes_supported": scopes]).scopesSupported == nil)
        }
    }

    @Test func `every flag that has a property is read; an absent one is nil`() throws {
        for (metadata, expected) in [(try #require(Self.full), true), (try Fixtures.metadata(), nil as Bool?)] {
            let flags = [
                metadata.claimsParameterSupported, metadata.requestParameterSupported,
                metadata.requestURIParameterSupported, metadata.requireSignedRequestObject,
                metadata.requirePushedAuthorizationRequests, metadata.authorizationResponseIssParameterSupported,
            ]
            for flag in flags { #expect(flag == expected) }
        }
        #expect(Self.full?.mtlsEndpointAliases?["token_endpoint"] == "https://mtls.example/token")
    }

    @Test(
        "a member of the wrong type is absent, or refused by name where a login needs it",
        arguments: ProviderMetadata.members.keys.sorted())
    func malformed(_ name: String) throws {
        let needed = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]
        let type = try #require(ProviderMetadata.members[name])
        for value: JSONValue in [5, .null, ["": 5], "", "/path"] {
            if [.string, .strings, .words].contains(type), value == "/path" { continue }
            if type == .object, value.objectValue != nil { continue }
            let isAbsent = value == .null || value == ""
            guard !isAbsent, needed.contains(name) else {
                let metadata = try ProviderMetadata(document: [name: value])
                let isRead =
                    switch type {
                    case .string: metadata.string(name) != nil
                    case .url: metadata.url(name) != nil
                    case .strings, .words: metadata.strings(name) != nil
                    case .flag: metadata.flag(name) != nil
                    case .object: metadata.object(name) != nil
                    }
                #expect(metadata.document == [name: value] && !isRead)
                continue
            }
            let error = refusal { try ProviderMetadata(document: [name: value]) }
            #expect(error?.code == .invalidMetadata && error?.stage == .discovery)
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test(
        "an endpoint is absolute, http(s), and has no fragment",
        arguments: [
            "/token", "op.example/token", "https://", "ftp://op.example/", "https://op.example/#f", "javascript:x",
            "https://%6cocalhost/", "https://op%2Eexample/",
        ])
    func endpointForm(_ text: String) {
        #expect(refusal { try ProviderMetadata(document: ["token_endpoint": .string(text)]) } != nil)
    }

    @Test func `a text where a list belongs is a list of one, and a truth value may be a text`() throws {
        let metadata = try ProviderMetadata(document: [
            "token_endpoint_auth_methods_supported": "client_secret_basic", "scopes_supported": ["a", 5],
            "require_pushed_authorization_requests": "true", "request_parameter_supported": "perhaps",
        ])
        #expect(
            metadata.tokenEndpointAuthMethodsSupported == ["client_secret_basic"] && metadata.scopesSupported == ["a"])
        #expect(metadata.requirePushedAuthorizationRequests == true && metadata.requestParameterSupported == nil)
    }

    @Test func `members that no specification defines are kept, also through an archive`() throws {
        let metadata = try Fixtures.metadata(["x_vendor": ["deep": [1, 2.5, nil]]])
        let archived = try JSONDecoder().decode(ProviderMetadata.self, from: JSONEncoder().encode(metadata))
        #expect(archived == metadata && archived.document["x_vendor"]?["deep"] == [1, 2.5, nil])
    }

    @Test("an archive is read although a member has become one of another type; such a member counts as absent")
    func laterMember() throws {
        let document: [String: JSONValue] = [
            "issuer": "https://op.example", "authorization_details_types_supported": 5,
        ]
        let archived = try JSONDecoder().decode(ProviderMetadata.self, from: JSONEncoder().encode(document))
        #expect(archived.document == document && archived.authorizationDetailsTypesSupported == nil)
    }

    @Test(
        "a document that is no JSON object is refused",
        arguments: ["", "<html>", "[]", "\"text\"", "{", "{\"issuer\":\"a\",\"issuer\":\"b\"}"])
    func notAnObject(_ text: String) {
        #expect(refusal { try ProviderMetadata(parsing: Data(text.utf8)) }?.code == .invalidMetadata)
    }
}
