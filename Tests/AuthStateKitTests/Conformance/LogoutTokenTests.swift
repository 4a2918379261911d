import AuthStateFoundation
import AuthStateJOSE
import AuthStateServer
import AuthStateTesting
import Testing

struct LogoutTokenTests {
    private func error(_ compact: String) -> AuthStateError? {
        do {
            _ = try LogoutToken(compact, keys: LogoutTokenForger.keys(), expectation: LogoutTokenForger.expectation())
            return nil
        } catch { return error as? AuthStateError }
    }

    @Test("a valid logout token says whose sessions end")
    func good() throws {
        let token = try LogoutTokenForger.offer(["sid": "s", "aud": ["client"]])
        #expect(token.subject == "alice" && token.sessionID == "s" && token.tokenID == "1")
        #expect(token.issuer.rawValue == "https://op.example")
        #expect(token.expiresAt == Date(timeIntervalSince1970: 1_800_000_120))
        #expect(try LogoutTokenForger.offer(["sid": "s", "sub": nil]).subject == nil)
    }

    @Test(
        "a logout token that fails a check is refused by name",
        arguments: [
            ("aud", "another"), ("iss", "https://evil.example"), ("nonce", "n"), ("events", nil), ("events", [:]),
            ("events", ["https://evil.example/event": [:]]), ("sub", nil), ("jti", nil), ("iat", 1), ("exp", 1),
        ] as [(String, JSONValue?)])
    func refused(_ claim: String, _ value: JSONValue?) throws {
        let error = error(try LogoutTokenForger.token([claim: value]))
        #expect(error?.code == .invalidLogoutToken && error?.stage == .logout)
        #expect(error?.message.contains(claim) == true)
    }

    @Test("a logout token without an end is refused, or with the tolerance ends two minutes after it was issued")
    func withoutExpiry() throws {
        let (keys, compact) = (try LogoutTokenForger.keys(), try LogoutTokenForger.token(["exp": nil]))
        var expectation = try LogoutTokenForger.expectation()
        #expect(error(compact)?.message.contains("exp") == true)
        expectation.toleratesMissingLogoutExpiry = true
        let token = try LogoutToken(compact, keys: keys, expectation: expectation)
        #expect(token.expiresAt == token.issuedAt.addingTimeInterval(120))
        expectation.now = token.issuedAt.addingTimeInterval(181)
        #expect(throws: AuthStateError.self) { try LogoutToken(compact, keys: keys, expectation: expectation) }
        // One that has an end is held to it.
        expectation.now = LogoutTokenForger.now
        #expect(throws: AuthStateError.self) {
            try LogoutToken(LogoutTokenForger.token(["exp": 1]), keys: keys, expectation: expectation)
        }
    }

    @Test("a logout token that is unsigned or signed with a shared secret or a foreign key is refused under any policy")
    func signatures() throws {
        let parts = [["alg": "none"], ["iss": "https://op.example"]] as [JSONValue]
        let unsigned = parts.map { Base64URL.encode($0.serialized()) }.joined(separator: ".") + "."
        let secret = try SigningKey(
            JSONWebKey(secret: Array("SECRET-client-0123456789-0123456789".utf8)), algorithm: .hs256)
        let stranger = try SigningKey.generate(.es256, keyID: "k")
        for compact in [
            unsigned, try LogoutTokenForger.token(by: secret), try LogoutTokenForger.token(by: stranger), "", "a.b.c",
        ] {
            #expect(error(compact)?.code == .invalidSignature)
        }
        var expectation = try LogoutTokenForger.expectation()
        expectation.policy.algorithms = [.unsecured, .hs256]
        expectation.clientSecret = "SECRET-client-0123456789-0123456789"
        let keys = try LogoutTokenForger.keys()
        for compact in [unsigned, try LogoutTokenForger.token(by: secret)] {
            #expect(throws: AuthStateError.self) { try LogoutToken(compact, keys: keys, expectation: expectation) }
        }
    }

    @Test("a logout token is held to the algorithm that the client's ID tokens are registered with, RS256 by default")
    func algorithms() async throws {
        // Two keys of one provider: one of each algorithm.
        let keys = try [SignatureAlgorithm.rs256, .es256].map { try SigningKey.generate($0, keyID: $0.rawValue) }
        let published = JSONWebKeySet(keys: keys.map(\.publicKey))
        let body = String(decoding: published.json.serialized(), as: UTF8.self)
        let service = AuthorizationService(ScriptedTransport(then: .json(body))) {
            $0.clock = WallClock(now: { LogoutTokenForger.now })
        }
        let configuration = ProviderConfiguration(
            issuer: try Issuer("https://op.example"), authorizationEndpoint: nil,
            tokenEndpoint: try #require(URL(string: "https://op.example/token")),
            jwksURI: URL(string: "https://op.example/keys"))
        func taken(_ key: Int, _ configuration: ProviderConfiguration) async throws -> Bool {
            let compact = try LogoutTokenForger.token(by: keys[key])
            let error = await authError {
                _ = try await service.logoutToken(compact, configuration: configuration, clientID: "client")
            }
            #expect(error == nil || error?.code == .invalidSignature)
            return error == nil
        }
        #expect(try await taken(0, configuration))
        #expect(try await !taken(1, configuration))
        // The client is registered for another one.
        var registered = configuration
        registered.idTokenPolicy.algorithms = [.es256]
        #expect(try await taken(1, registered))
        #expect(try await !taken(0, registered))
        // The provider has no RS256: what it has is the default.
        var listed = configuration
        listed.metadata = try ProviderMetadata(document: ["id_token_signing_alg_values_supported": ["ES256", "none"]])
        #expect(try await taken(1, listed))
        #expect(try await !taken(0, listed))
    }

    @Test("a type that names another kind of token is refused; logout+jwt, JWT and others are accepted")
    func types() throws {
        for type in ["logout+jwt", "Application/Logout+JWT", "secevent+jwt", "JWT", "JOSE", ""] {
            #expect(try LogoutTokenForger.offer(type: type).subject == "alice")
        }
        for type in ["at+jwt", "id_token+jwt", "dpop+jwt", "application/token-introspection+jwt"] {
            let error = error(try LogoutTokenForger.token(type: type))
            #expect(error?.code == .invalidLogoutToken && error?.received == type)
        }
    }

    @Test("the service verifies with the keys that the provider publishes, and fetches them again for an unknown one")
    func service() async throws {
        let newer = try SigningKey.generate(.es256, keyID: "k2")
        let old = try LogoutTokenForger.keys().json.serialized()
        let both = JSONWebKeySet(keys: [try LogoutTokenForger.key.get().publicKey, newer.publicKey]).json.serialized()
        func reply(_ body: [UInt8]) -> ScriptedTransport.Reply { .json(String(decoding: body, as: UTF8.self)) }
        let transport = ScriptedTransport([reply(old), reply(both)])
        let service = AuthorizationService(transport) { $0.clock = WallClock(now: { LogoutTokenForger.now }) }
        var configuration = ProviderConfiguration(
            issuer: try Issuer("https://op.example"), authorizationEndpoint: nil,
            tokenEndpoint: try #require(URL(string: "https://op.example/token")),
            jwksURI: URL(string: "https://op.example/keys"))
        configuration.idTokenPolicy.algorithms = [.es256]
        let registered = configuration
        for compact in [try LogoutTokenForger.token(), try LogoutTokenForger.token(by: newer)] {
            let token = try await service.logoutToken(compact, configuration: registered, clientID: "client")
            #expect(token.subject == "alice")
        }
        #expect(transport.requests.count == 2)
        let error = await authError {
            _ = try await service.logoutToken(LogoutTokenForger.token(), configuration: registered, clientID: "another")
        }
        #expect(error?.code == .invalidLogoutToken)
    }
}

struct ThirdPartyLoginTests {
    @Test("issuer, hint and target make a request")
    func request() throws {
        let login = try ThirdPartyLogin(
            ["iss": "https://op.example", "login_hint": "ada", "target_link_uri": "https://app.example/page"],
            allowedIssuers: ["https://op.example"])
        #expect(login.targetLinkURI == "https://app.example/page")
        var configuration = ProviderConfiguration(
            issuer: login.issuer, authorizationEndpoint: URL(string: "https://op.example/authorize"),
            tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        let place = try RedirectURI("https://app.example/callback")
        let request = try login.request(Client(configuration, id: "client"), scopes: [.openID], redirectURI: place)
        #expect(request.loginHint == "ada" && request.redirectURI == place)
        configuration.issuer = try Issuer("https://other.example")
        #expect(throws: AuthStateError.self) {
            try login.request(Client(configuration, id: "client"), scopes: [], redirectURI: place)
        }
    }

    @Test(
        "another issuer, none, or two are refused",
        arguments: [
            ("iss=https://evil.example", AuthStateError.Code.issuerNotAllowed), ("", .invalidIssuer),
            ("iss=https://op.example&iss=https://evil.example", .duplicateParameter),
            ("iss=https://op.example/", .issuerNotAllowed),
        ])
    func refused(_ query: String, _ code: AuthStateError.Code) throws {
        let parameters = try #require(Parameters(decoding: query))
        let error = #expect(throws: AuthStateError.self) {
            try ThirdPartyLogin(parameters, allowedIssuers: ["https://op.example"])
        }
        #expect(error?.code == code && (error?.stage == .authorization || code == .invalidIssuer))
    }
}
