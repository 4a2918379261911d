import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Testing

struct UserInfoServiceTests {
    @Test func `signed claims for this client are verified and bound`() async throws {
        for answer in [UserInfoForger.signed([:]), .signed(["aud": ["another", "client"], "exp": 1_900_000_000])] {
            let info = try await Attack.offer(answer, UserInfoOptions(requiresSignature: true))
            #expect(info.isSigned && info.isBound && info.name == "Alice")
        }
    }

    @Test("after a login at another provider under the same key, its own userinfo endpoint is asked")
    func otherProvider() async throws {
        let asked = Lock<[String]>([])
        let transport = ScriptedTransport(
            then: .dynamic { request in
                asked.withLock { $0.append(request.url.absoluteString) }
                let body =
                    request.url.path == "/token"
                    ? #"{"access_token":"\#(request.url.host ?? "")","token_type":"Bearer"}"# : #"{"sub":"a"}"#
                return TransportResponse(
                    status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
            })
        let place = AuthState.Place(
            InMemoryAuthStateStore(), key: "one", service: AuthorizationService(transport: transport))
        func logIn(at host: String) async throws -> AuthState {
            var provider = ProviderConfiguration(
                authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://\(host)/token")))
            provider.userInfoEndpoint = URL(string: "https://\(host)/userinfo")
            return try await AuthState.logIn(
                .clientCredentials(Client(provider, id: "app", credential: .secret("s"))), at: place)
        }
        let first = try await logIn(at: "first.example")
        _ = try await logIn(at: "second.example")
        _ = try await first.userInfo()
        #expect(asked.withLock { $0.last } == "https://second.example/userinfo")
    }

    @Test("issuer and audience may be absent, and must fit where they are present")
    func unaddressed() async throws {
        for absent in [["iss": nil], ["aud": nil], ["iss": .null], ["iss": nil, "aud": nil]] as [[String: JSONValue?]] {
            #expect(try await UserInfoForger.signed(absent).state().userInfo().isSigned)
        }
        for wrong in [["aud": "another"], ["iss": 5], ["aud": 5]] as [[String: JSONValue?]] {
            let state = try UserInfoForger.signed(wrong).state()
            #expect(await authError { try await state.userInfo() }?.code == .invalidUserInfo)
        }
    }

    @Test("a type that names another kind of token is refused, any other type is not")
    func types() async throws {
        for type in ["JWT", "jwt", "application/jwt", "JOSE", ""] {
            #expect(try await UserInfoForger.signed([:], type: type).state().userInfo().isSigned)
        }
        for type in TypedTokenForger.others + ["id_token+jwt"] {
            let state = try UserInfoForger.signed([:], type: type).state()
            let error = await authError { try await state.userInfo() }
            #expect(error?.code == .invalidUserInfo && error?.received == type, "\(type)")
        }
    }

    /// A state of a client that has a secret, and userinfo signed with it.
    private func sharedSecret(_ algorithms: Set<SignatureAlgorithm>?, _ secret: String = secret) throws -> AuthState {
        let key = try SigningKey(JSONWebKey(secret: Array(secret.utf8)), algorithm: .hs256)
        let state = try UserInfoForger.signed(["iss": nil, "aud": nil], by: .success(key)).state()
        var record = state.record
        record.client.provider.userInfoAlgorithms = algorithms
        record.client.credential = .secret(Self.secret)
        return AuthState(record, service: state.service, store: InMemoryAuthStateStore())
    }

    private static let secret = "SECRET-client-0123456789-0123456789"

    @Test("the client's secret is the key of HS256 where the client is registered for it, and only there")
    func sharedSecret() async throws {
        #expect(try await sharedSecret([.hs256]).userInfo().isSigned)
        let refusals = [
            try sharedSecret(nil), try sharedSecret([.rs256]), try sharedSecret([.hs384]),
            try sharedSecret([.hs256], "SECRET-stranger-0123456789-012345678"),
        ]
        for state in refusals {
            let error = await authError { try await state.userInfo() }
            #expect(error?.code == .invalidSignature && error?.stage == .userinfo)
        }
    }

    @Test(
        "the content type decides: JSON is no JWT, a JWT is no JSON, and encryption is named",
        arguments: [
            (#"{"sub":"alice"}"#, "application/jwt", AuthStateError.Code.malformedResponse),
            (#"{"sub":"alice"}"#, "Application/JWT; charset=utf-8", .malformedResponse),
            ("e30.e30.", "application/jwt", .malformedResponse),
            ("e30.e30.e30", "application/json", .malformedResponse),
            ("a.b.c.d.e", "application/jwt", .unsupported), ("", "application/jwt", .malformedResponse),
        ])
    func contentTypes(_ body: String, _ mediaType: String, _ code: AuthStateError.Code) async throws {
        let state = try UserInfoForger.raw(body, contentType: mediaType).state()
        let before = state.record
        let error = await authError { try await state.userInfo() }
        #expect(error?.code == code && error?.stage == .userinfo)
        #expect(state.record == before && state.isAuthorized)
    }

    @Test func `each failed check is named, and the state stays as it was`() async throws {
        let refusals: [(UserInfoForger, String)] = [
            (.signed(["iss": "https://evil.example"]), "iss"), (.signed(["aud": "another"]), "aud"),
            (.signed(["exp": 1]), "exp"), (.signed(["nbf": 99_999_999_999]), "nbf"),
        ]
        for (answer, claim) in refusals {
            let state = try answer.state()
            let before = state.record
            let error = await authError { try await state.userInfo() }
            #expect(error?.code == .invalidUserInfo && error?.message.contains(claim) == true)
            #expect(error?.kind == .refused && error?.stage == .userinfo && state.record == before)
        }
    }

    @Test func `signed claims of a provider whose issuer is not known cannot be verified`() async throws {
        let state = try UserInfoForger.signed([:]).state()
        var record = state.record
        record.client.provider.issuer = nil
        let error = await authError {
            try await AuthState(record, service: state.service, store: InMemoryAuthStateStore()).userInfo()
        }
        #expect(error?.code == .invalidMetadata && error?.kind == .configuration)
    }

    @Test func `the token goes to allowed origins alone, in the body too`() async throws {
        var options = AuthState.Options()
        options.allowedOrigins = ["https://api.example"]
        let answer = try UserInfoForger.plain(["sub": "alice"]).state()
        let state = AuthState(
            answer.record, service: answer.service, store: InMemoryAuthStateStore(), options: options)
        for placement in [UserInfoOptions.TokenPlacement.header, .body] {
            let error = await authError { try await state.userInfo(UserInfoOptions(tokenPlacement: placement)) }
            #expect(error?.code == .insecureURL)
        }
    }
}
