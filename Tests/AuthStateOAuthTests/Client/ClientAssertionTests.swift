import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct ClientAssertionTests {
    private static let key = Result { try SigningKey.generate(.es256, keyID: "k1") }

    private func assertion() throws -> ClientAssertion {
        ClientAssertion(clientID: "client", audience: "https://op.example", issuedAt: Fixtures.now + 0.9)
    }

    @Test("claims and header are those of RFC 7523, and the key's public part verifies them")
    func claims() throws {
        let key = try Self.key.get()
        let token = try JSONWebToken(parsing: assertion().signed(with: key))
        let header: JSONValue = ["alg": "ES256", "kid": "k1", "typ": "client-authentication+jwt"]
        #expect(token.header.json == header)
        let identifier = try #require(token.claims["jti"]?.stringValue)
        let claims: JSONValue = [
            "iss": "client", "sub": "client", "aud": "https://op.example", "jti": .string(identifier),
            "iat": 1_800_000_000, "exp": 1_800_000_060,
        ]
        #expect(token.claims == claims)
        try token.verify(with: VerificationKey(key.publicKey), allowed: [.es256])
    }

    @Test func `every signature is another token`() throws {
        let identifiers = try (0..<100).map { _ in
            try JSONWebToken(parsing: assertion().signed(with: Self.key.get())).claims["jti"]?.stringValue
        }
        #expect(Set(identifiers).count == 100)
        #expect(identifiers.allSatisfy { ($0?.utf8.count ?? 0) >= 22 })
    }

    @Test("the form has the assertion, its type and the client, and nothing else that proves (RFC 7523, section 2.2)")
    func form() throws {
        let renewal = TokenRequest(Client(try Fixtures.configuration(), id: "client"), .refreshToken("r"))
        for method in [ClientAuthenticationMethod.clientSecretJWT, .privateKeyJWT] {
            let sent = try renewal.transportRequest(
                authentication: .assertion("a.b.c", clientID: "client", method: method))
            let form = try #require(sent.form)
            #expect(
                form.names == ["grant_type", "refresh_token", "client_id", "client_assertion_type", "client_assertion"])
            #expect(form["client_id"] == "client" && form["client_assertion"] == "a.b.c")
            #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            #expect(sent.headers["Authorization"] == nil)
        }
        let error = refusal { try ClientAuthentication.assertion("a", clientID: "c", method: .clientSecretPost) }
        #expect(error?.code == .unsupported)
    }

    @Test("the audience is the issuer; the called endpoint only by name, or where there is no issuer")
    func audience() throws {
        var configuration = try Fixtures.configuration()
        let endpoint = try Fixtures.url("https://op.example/revoke")
        #expect(configuration.assertionAudience(at: endpoint) == "https://op.example")
        configuration.tolerances = [.endpointAudience]
        #expect(configuration.assertionAudience(at: endpoint) == "https://op.example/revoke")
        configuration.tolerances = []
        configuration.issuer = nil
        #expect(configuration.assertionAudience(at: endpoint) == "https://op.example/revoke")
    }

    /// A key, the client's registration, the provider's list, and the algorithm that they lead to.
    struct Choice {
        var key: SignatureAlgorithm
        var isPinned = false
        var registered: SignatureAlgorithm?
        var accepted: [String]?
        var expected: String?
    }

    @Test(
        "the algorithm fits the key, the registration and the provider's list",
        arguments: [
            Choice(key: .es256, expected: "ES256"), Choice(key: .rs256, expected: "RS256"),
            Choice(key: .edDSA, expected: "EdDSA"), Choice(key: .es512, expected: "ES512"),
            Choice(key: .hs256, expected: "HS256"),
            Choice(key: .rs256, accepted: ["ES256", "PS256", "PS512"], expected: "PS256"),
            Choice(key: .rs256, registered: .ps512, expected: "PS512"),
            Choice(key: .rs256, isPinned: true, accepted: ["PS256"]),
            Choice(key: .rs256, registered: .ps512, accepted: ["RS256"]),
            Choice(key: .es256, accepted: ["RS256", "HS256"]), Choice(key: .es256, accepted: []),
            Choice(key: .hs512, accepted: ["HS512"], expected: "HS512"),
            Choice(key: .edDSA, accepted: ["Ed25519"], expected: "Ed25519"),
        ])
    func algorithm(_ choice: Choice) throws {
        var key = try SigningKey.forTests(choice.key).privateKey
        if !choice.isPinned { key.algorithm = nil }
        func sign() throws -> SigningKey {
            try SigningKey(
                forAssertionsWith: key, algorithm: choice.registered, accepted: choice.accepted, stage: .token)
        }
        guard let expected = choice.expected else {
            let error = refusal { try sign() }
            #expect(error?.code == .unsupported && error?.kind == .configuration)
            #expect(error?.expected == choice.accepted?.joined(separator: ", "))
            return
        }
        #expect(try sign().algorithm.rawValue == expected)
    }

    @Test func `a key that cannot sign with the registered algorithm, or not at all, is told apart`() throws {
        let key = try Self.key.get()
        for (key, algorithm) in [(key.privateKey, SignatureAlgorithm.rs256), (key.publicKey, .es256)] {
            let error = refusal {
                try SigningKey(forAssertionsWith: key, algorithm: algorithm, accepted: nil, stage: .refresh)
            }
            #expect(error?.code == .credentialUnavailable && error?.stage == .refresh)
        }
    }

    @Test func `a secret signs when the provider takes nothing else from it`() throws {
        func preferred(_ methods: JSONValue) throws -> ClientAuthenticationMethod {
            let metadata = try Fixtures.metadata(["token_endpoint_auth_methods_supported": methods])
            return ClientAuthentication.preferredMethod(of: metadata.tokenEndpointAuthMethodsSupported)
        }
        #expect(try preferred(["private_key_jwt", "client_secret_jwt"]) == .clientSecretJWT)
        #expect(try preferred(["client_secret_jwt", "client_secret_post"]) == .clientSecretPost)
        #expect(try preferred(["private_key_jwt"]) == .clientSecretBasic)
    }
}
