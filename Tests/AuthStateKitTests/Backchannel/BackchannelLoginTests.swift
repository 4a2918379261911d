import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

/// CIBA: backchannel authentication.
@Suite(.timeLimit(.minutes(5))) struct BackchannelLoginTests {
    private let world: World

    init() async throws { world = try await World() }

    /// A provider that waits for its users to decide, and a client whose clock is the same, moved by hand.
    struct World {
        static let credential = ClientCredential.secret("service-secret")
        let clock = ManualClock()
        let fixture: ProviderFixture
        var provider: OpenIDProvider { fixture.provider }

        init(_ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
            fixture = try await ProviderFixture(clock: clock, waits: true) {
                $0.login = .page
                change(&$0)
            }
        }

        func request(
            _ hint: BackchannelAuthenticationRequest.Hint = .login("ada"), scopes: [Scope] = [.openID, .profile]
        ) -> BackchannelAuthenticationRequest {
            BackchannelAuthenticationRequest(Client(fixture.configuration, id: "service"), hint: hint, scopes: scopes)
        }

        /// Logs in; `decide` is Ada, who is asked on her phone. Waits for one question.
        func logIn(
            _ request: BackchannelAuthenticationRequest? = nil, credential: ClientCredential = World.credential,
            store: any AuthStateStore = InMemoryAuthStateStore(), pauses: [Double] = [5], allow: Bool? = true
        ) async throws -> AuthState {
            let (asked, provider) = (request ?? self.request(), provider)
            let task = Task {
                try await AuthState.logIn(
                    .backchannel(asked.with(credential)) { _ in
                        if let allow { #expect(provider.decide(loginHint: "ada@example.com", allow: allow)) }
                    }, at: fixture.place(store), annotations: ["till": "3"])
            }
            for pause in pauses {
                await clock.sleepers()
                clock.advance(by: .seconds(pause))
            }
            return try await task.value
        }

        /// The error of a request that ends before the first wait.
        func refusal(_ request: BackchannelAuthenticationRequest) async -> AuthStateError? {
            await authError { try await logIn(request, pauses: [], allow: nil) }
        }
    }

    @Test("a user allows it: the tokens, the ID token verified, and a renewal like any other")
    func allowed() async throws {
        let store = InMemoryAuthStateStore()
        var request = world.request()
        request.bindingMessage = "W4SCT"
        request.requestedExpiry = 90
        let state = try await world.logIn(request, store: store)
        let record = state.record
        #expect(state.isAuthorized && record.scope == "openid profile" && record.annotations == ["till": "3"])
        #expect(record.idToken != nil && record.idTokenTrust == .signature)
        let sent = try #require(world.provider.requests(at: .backchannelAuthentication).first).parameters
        #expect(sent["binding_message"] == "W4SCT" && sent["requested_expiry"] == "90")
        #expect(world.provider.requestCount(.token) == 1)
        let restored = try await AuthState.restore(at: world.fixture.place(store), credential: World.credential)
        #expect(try await restored.refresh().accessToken != record.accessToken)
        #expect(try await restored.userInfo().name == "Ada Lovelace")
    }

    @Test("a user refuses: access_denied, and nothing is stored")
    func denied() async throws {
        let store = InMemoryAuthStateStore()
        let error = await authError { try await world.logIn(store: store, allow: false) }
        #expect(error?.code == .accessDenied && error?.kind == .reauthenticationRequired && error?.stage == .token)
        #expect(try await store.load(.default) == nil)
    }

    @Test("without a decision the provider is asked every five seconds, until the requested time is over")
    func expired() async throws {
        var request = world.request()
        request.requestedExpiry = 16
        let error = await authError { try await world.logIn(request, pauses: [5, 5, 5], allow: nil) }
        #expect(error?.code == .deviceCodeExpired && error?.response == nil)
        #expect(world.provider.requestCount(.token) == 3)
    }

    @Test("slow_down adds five seconds for good; a request that the provider ends is over")
    func slowDown() async throws {
        world.provider.inject(.oauthError("slow_down"), at: .token)
        world.provider.inject(.oauthError("authorization_pending"), at: .token)
        world.provider.inject(.oauthError("transaction_failed"), at: .token)
        let error = await authError { try await world.logIn(pauses: [5, 10, 10], allow: nil) }
        #expect(error?.code == .transactionFailed && error?.kind == .reauthenticationRequired)
        #expect(world.provider.requestCount(.token) == 3)
    }

    @Test("a login asked for by an ID token is refused when it is another user's")
    func sameAccount() async throws {
        let idToken = try #require(try await world.logIn().record.idToken)
        #expect(try await world.logIn(world.request(.idToken(idToken))).isAuthorized)
        let sent = world.provider.requests(at: .backchannelAuthentication).last?.parameters
        #expect(sent?["id_token_hint"] == idToken && sent?["login_hint"] == nil)
        world.provider.update { $0.deviations.idToken = { claims, _ in claims["sub"] = "somebody-else" } }
        let store = InMemoryAuthStateStore()
        let error = await authError { try await world.logIn(world.request(.idToken(idToken)), store: store) }
        #expect(error?.code == .accountChanged && error?.stage == .token)
        #expect(try await store.load(.default) == nil)
        let count = world.provider.requestCount(.backchannelAuthentication)
        #expect(await world.refusal(world.request(.idToken("no token")))?.code == .invalidIDToken)
        #expect(world.provider.requestCount(.backchannelAuthentication) == count)
    }

    @Test("the ID token is required, and withholds the tokens when it fails a check")
    func idToken() async throws {
        world.provider.update { $0.deviations.tokenResponse = { $0["id_token"] = nil } }
        #expect(await authError { try await world.logIn() }?.code == .invalidIDToken)
        world.provider.update {
            $0.deviations.tokenResponse = nil
            $0.deviations.signature = .foreignKey
        }
        #expect(await authError { try await world.logIn() }?.code == .invalidSignature)
    }

    @Test("the provider's refusals, each by its name (section 13)")
    func refusals() async throws {
        let world = try await World { $0.users[0].backchannelCode = "1234" }
        #expect(await world.refusal(world.request(.login("nobody")))?.code == .unknownUserID)
        #expect(await world.refusal(world.request())?.code == .missingUserCode)
        var request = world.request()
        request.userCode = "0000"
        let wrong = await world.refusal(request)
        #expect(wrong?.code == .invalidUserCode && wrong?.stage == .authorization)
        request.userCode = "1234"
        request.bindingMessage = String(repeating: "x", count: 100)
        #expect(await world.refusal(request)?.code == .invalidBindingMessage)
        request.bindingMessage = nil
        let token = unsignedToken(["sub": "ada", "exp": 1])
        request.hint = .loginToken(token)
        #expect(await world.refusal(request)?.code == .expiredLoginHintToken)
        request.hint = .loginToken(unsignedToken(["sub": "ada"]))
        request.client.id = "app"
        let stranger = await authError { try await world.logIn(request, credential: .none, pauses: [], allow: nil) }
        #expect(stranger?.code == .unauthorizedClient)
        request.client.id = "service"
        #expect(try await world.logIn(request).isAuthorized)
    }

    @Test func `an immediate decision or refusal is found by the first question`() async throws {
        let world = try await World { $0.login = .automatic }
        #expect(try await world.logIn(allow: nil).isAuthorized)
        world.provider.update { $0.login = .denied }
        #expect(await authError { try await world.logIn(allow: nil) }?.code == .accessDenied)
        #expect(!world.provider.decide(loginHint: "ada", allow: true))
    }

    @Test func `tokens that are bound to a key are asked for with its proof, and renewed with it`() async throws {
        let world = try await World { $0.requiresDPoP = true }
        var request = world.request()
        request.dpopKey = try .generate(for: world.fixture.configuration)
        let state = try await world.logIn(request)
        #expect(state.record.lastTokenResponse?.tokenType == "DPoP" && state.record.dpopKey == request.dpopKey)
        #expect(try await state.refresh().isDPoPBound)
    }

    @Test("an identifier serves its own grant and client, and serves once")
    func identifier() async throws {
        let world = try await World { $0.login = .automatic }
        let response = try await world.fixture.service.authorizeBackchannel(world.request().with(World.credential))
        let device = TokenRequest(
            Client(world.fixture.configuration, id: "service"), .deviceCode(response.authenticationRequestID))
        #expect(
            await authError {
                _ = try await world.fixture.service.perform(device.with(World.credential))
            }?.code == .invalidGrant)
        let question = response.tokenRequest()
        _ = try await world.fixture.service.perform(question.with(World.credential))
        #expect(
            await authError {
                _ = try await world.fixture.service.perform(question.with(World.credential))
            }?.code == .invalidGrant)
    }

    @Test("cancelling the task ends the waiting at once")
    func cancelled() async throws {
        let (asked, service) = (world.request(), world.fixture.service)
        let task = Task {
            try await AuthState.logIn(.backchannel(asked.with(World.credential)), at: .memory(service: service))
        }
        await world.clock.sleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(world.provider.requestCount(.token) == 0)
    }

    @Test func `a pool keeps the login under a key, in one step and in two`() async throws {
        let world = try await World { $0.login = .automatic }
        let pool = AuthStatePool(store: InMemoryAuthStateStore(), service: world.fixture.service) { _ in
            World.credential
        }
        let task = Task { try await pool.logIn(.backchannel(world.request()), for: "till-1") }
        await world.clock.sleepers()
        world.clock.advance(by: .seconds(5))
        let first = try await task.value
        #expect(try await pool.state(for: "till-1") === first)
        let response = try await world.fixture.service.authorizeBackchannel(world.request().with(World.credential))
        let other = Task { try await pool.logIn(.backchannel(response), for: "till-2") }
        await world.clock.sleepers()
        world.clock.advance(by: .seconds(5))
        let second = try await other.value
        #expect(try await pool.state(for: "till-2") === second)
    }
}
