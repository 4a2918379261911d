import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

struct LoginOrderTests {
    @Test func `the code is not spent when the provider's keys are unavailable`() async throws {
        let fixture = try await ProviderFixture()
        fixture.provider.inject(.status(503), at: .keySet)
        #expect(await authError { try await fixture.logIn() }?.kind == .transient)
        #expect(fixture.provider.requestCount(.token) == 0)
        #expect(try await fixture.logIn().isAuthorized)
        await fixture.provider.stop()
    }

    @Test("in the hybrid flow both ID tokens are verified, and the first one's c_hash is required")
    func hybrid() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request()
        request.responseType = .codeIDToken
        #expect(try await fixture.logIn(request).isAuthorized)
        fixture.provider.update { configuration in
            configuration.deviations.idToken = { claims, _ in
                if claims["c_hash"] != nil { claims["c_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }
            }
        }
        let spent = fixture.provider.requestCount(.token)
        let error = await authError { try await fixture.logIn(fresh(request, fixture)) }
        #expect(error?.message.contains("c_hash") == true)
        #expect(fixture.provider.requestCount(.token) == spent)
        fixture.provider.update { $0.deviations.idToken = { claims, _ in claims["c_hash"] = nil } }
        #expect(
            await authError { try await fixture.logIn(fresh(request, fixture)) }?.message.contains("c_hash") == true)
        await fixture.provider.stop()
    }

    @Test func `the second ID token of a hybrid login must speak of the same user`() async throws {
        let fixture = try await ProviderFixture()
        fixture.provider.update { configuration in
            configuration.deviations.idToken = { claims, _ in if claims["c_hash"] == nil { claims["sub"] = "mallory" } }
        }
        var request = fixture.request()
        request.responseType = .codeIDToken
        #expect(await authError { try await fixture.logIn(request) }?.message.contains("both ID tokens") == true)
        await fixture.provider.stop()
    }

    @Test("a pending login survives its archive, serves once, and expires after ten minutes")
    func pendingLogins() async throws {
        let clock = ManualClock()
        let fixture = try await ProviderFixture(clock: clock)
        var request = fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        func callback(_ pending: PendingAuthorization) async throws -> AuthorizationCallback {
            let session = try await DirectUserAgent().prepare(redirectURI: request.redirectURI, for: .login)
            return try await session.present(pending.url)
        }
        let pending = try await fixture.service.begin(request)
        let answer = try await callback(pending)
        let restored = try JSONDecoder().decode(PendingAuthorization.self, from: JSONEncoder().encode(pending))
        #expect(try await AuthState.logIn(.callback(answer, of: restored), at: fixture.place()).isAuthorized)
        let again = await authError {
            _ = try await AuthState.logIn(.callback(answer, of: restored), at: fixture.place())
        }
        #expect(again?.code == .authorizationExpired)
        let late = try await fixture.service.begin(fresh(request, fixture))
        let lateAnswer = try await callback(late)
        clock.advance(by: .seconds(600))
        #expect(
            await authError {
                _ = try await AuthState.logIn(.callback(lateAnswer, of: late), at: fixture.place())
            }?
            .code == .authorizationExpired)
        await fixture.provider.stop()
    }

    @Test("a callback with a foreign state does not use the login up")
    func foreignState() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let pending = try await fixture.service.begin(request)
        let session = try await DirectUserAgent().prepare(redirectURI: request.redirectURI, for: .login)
        let answer = try await session.present(pending.url)
        let foreign = AuthorizationCallback(url: "http://127.0.0.1:49152/callback?code=x&state=y")
        #expect(
            await authError { try await fixture.service.complete(pending, callback: foreign) }?.code == .stateMismatch
        )
        let (_, tokens) = try await fixture.service.complete(pending, callback: answer)
        #expect(!tokens.accessToken.isEmpty)
        await fixture.provider.stop()
    }

    @Test func `a callback that shows the state uses the login up, also when another check of it fails`() async throws {
        let fixture = try await ProviderFixture()
        for wrong in ["", "code=c&iss=https%3A%2F%2Fother.example", "error=server_error"] {
            var request = fixture.request()
            request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
            let pending = try await fixture.service.begin(request)
            func answer(_ parameters: String) async -> AuthStateError? {
                let url = "http://127.0.0.1:49152/callback?\(parameters)&state=\(request.state)"
                return await authError {
                    _ = try await fixture.service.authorizationResponse(
                        for: pending, callback: AuthorizationCallback(url: url))
                }
            }
            let first = await answer(wrong)
            #expect(first != nil && first?.code != .authorizationExpired, "\(wrong)")
            #expect(await answer("code=c")?.code == .authorizationExpired, "\(wrong)")
        }
        await fixture.provider.stop()
    }

    @Test func `an ID token that was not asked for, and that nothing can verify, is left out`() async throws {
        let answer = #"{"access_token":"a","token_type":"Bearer","id_token":"SECRET.id.token"}"#
        let service = AuthorizationService(transport: ScriptedTransport([.json(answer)]))
        let configuration = ProviderConfiguration(
            issuer: try Issuer("https://op.example"),
            authorizationEndpoint: URL(string: "https://op.example/authorize"),
            tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        let request = AuthorizationRequest(
            Client(configuration, id: "client"), scopes: ["api"],
            redirectURI: try RedirectURI("https://app.example/callback"))
        let callback = AuthorizationCallback(url: "https://app.example/callback?code=c&state=\(request.state)")
        let (_, tokens) = try await service.complete(service.begin(request), callback: callback)
        #expect(tokens.accessToken == "a" && tokens.idToken == nil && tokens.idTokenTrust == nil)
    }

    @Test("an answer to a request that was sent by other means is not exchanged when its ID token cannot be verified")
    func unverifiable() async throws {
        let transport = ScriptedTransport(then: .json(#"{"access_token":"a","token_type":"Bearer","id_token":"x"}"#))
        var request = AuthorizationRequest(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: URL(string: "https://op.example/authorize"),
                    tokenEndpoint: try #require(URL(string: "https://op.example/token"))), id: "client"),
            redirectURI: try RedirectURI("https://app.example/callback"))
        for type in [AuthorizationRequest.ResponseType.code, .codeIDToken] {
            request.responseType = type
            let answer = "code=c&id_token=forged&state=\(request.state)"
            let response = try AuthorizationResponse(
                callback: AuthorizationCallback(
                    url: "https://app.example/callback\(type == .code ? "?" : "#")\(answer)"), for: request)
            let error = await authError { try await AuthorizationService(transport: transport).exchange(response) }
            #expect(error?.code == .invalidMetadata)
        }
        #expect(transport.requests.isEmpty)
    }

    /// The same request with a state of its own, as each login needs.
    private func fresh(_ request: AuthorizationRequest, _ fixture: ProviderFixture) -> AuthorizationRequest {
        var other = fixture.request()
        other.responseType = request.responseType
        other.redirectURI = request.redirectURI
        return other
    }
}
