import AuthStateFoundation
import AuthStateJOSE
import AuthStateStorage
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(5))) struct ReauthorizingTests {
    private let world: World

    init() async throws { world = try await World() }

    /// Ada, logged in at a provider that knows Bob too.
    struct World {
        let fixture: ProviderFixture
        let store = InMemoryAuthStateStore()
        let state: AuthState
        let request: TransportRequest

        init(scopes: [Scope] = [.openID, .profile, .email], provider: ProviderFixture? = nil) async throws {
            if let provider {
                fixture = provider
            } else {
                fixture = try await ProviderFixture { $0.users.append(.bob) }
            }
            state = try await AuthState.logIn(
                .browser(fixture.request(scopes), DirectUserAgent()), at: fixture.place(store))
            request = TransportRequest(url: fixture.provider.url(of: .resource))
        }

        var provider: OpenIDProvider { fixture.provider }
        func archive() async throws -> StoredAuthState? { try await store.load(.default) }
        func logins() -> Int { provider.requestCount(.authorization) }
    }

    private let asAda = Reauthorization.presenting(DirectUserAgent())
    private let asBob = Reauthorization.presenting(DirectUserAgent()) { request, _ in request.loginHint = "bob" }

    @Test("a request is sent once more after the same user's login, which is kept")
    func replayed() async throws {
        let before = world.state.record
        world.provider.revokeGrants()
        let response = try await world.state.performAction(world.request, reauthorize: asAda)
        #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self).contains("Ada"))
        let after = world.state.record
        #expect(after.isAuthorized && after.grantID != before.grantID && after.refreshToken != before.refreshToken)
        #expect(try AuthStateArchive(data: try #require(try await world.archive()).archive).record == after)
        #expect(world.logins() == 2)
        // The hint names the user; values that serve one login are not used again.
        let sent = world.provider.requests(at: .authorization).map(\.parameters)
        #expect(sent[1]["login_hint"] == "ada")
        for name in ["state", "nonce", "code_challenge"] { #expect(sent[0][name] != sent[1][name]) }
        #expect(sent[0]["scope"] == sent[1]["scope"] && sent[0]["redirect_uri"] == sent[1]["redirect_uri"])
    }

    @Test("a request is not sent as another user: the state and the store stay, and that user's tokens are revoked")
    func otherAccount() async throws {
        world.provider.revokeGrants()
        await #expect(throws: AuthStateError.self) { try await world.state.refresh() }
        let (before, archive) = (world.state.record, try await world.archive())
        let resources = world.provider.requestCount(.resource)
        let error = await authError { try await world.state.performAction(world.request, reauthorize: asBob) }
        #expect(error?.code == .accountChanged && error?.kind == .refused)
        #expect(world.state.record == before)
        #expect(try await world.archive() == archive)
        #expect(world.provider.requestCount(.resource) == resources)
        #expect(world.provider.requestCount(.revocation) == 2)
        #expect(world.logins() == 2)
    }

    @Test func `a login without a verified ID token counts as another account`() async throws {
        world.provider.revokeGrants()
        let service = world.fixture.service
        for isStripped in [true, false] {
            let unverified = Reauthorization { request in
                var (response, tokens) = try await service.authorize(request, presenting: DirectUserAgent())
                if isStripped { tokens.idToken = nil } else { tokens.idTokenTrust = nil }
                return (response, tokens)
            }
            let error = await authError { try await world.state.performAction(world.request, reauthorize: unverified) }
            #expect(error?.code == .accountChanged)
        }
    }

    @Test func `a user who closes the page leaves everything as it was`() async throws {
        world.provider.revokeGrants()
        await #expect(throws: AuthStateError.self) { try await world.state.refresh() }
        let archive = try await world.archive()
        let agent = HeldUserAgent(.closes, isOpen: true)
        let error = await authError {
            try await world.state.performAction(world.request, reauthorize: .presenting(agent))
        }
        #expect(error?.kind == .cancelled && agent.count == 1)
        #expect(try await world.archive() == archive)
    }

    @Test func `many requests at the same time share one login`() async throws {
        world.provider.revokeGrants()
        let agent = HeldUserAgent()
        let calls = (0..<20).map { _ in
            Task { try await world.state.performAction(world.request, reauthorize: .presenting(agent)).status }
        }
        await agent.gate.arrivals()
        agent.gate.open()
        for call in calls { #expect(try await call.value == 200) }
        #expect(agent.count == 1 && world.logins() == 2)
    }

    @Test func `a request that fails again gets no second login`() async throws {
        world.provider.rejectAccessTokens(times: 100)
        let error = await authError { try await world.state.performAction(world.request, reauthorize: asAda) }
        #expect(error?.code == .tokenRejected && world.logins() == 2)
    }

    @Test func `other errors lead to no login`() async throws {
        world.provider.update { $0.protectedResource.scopes = ["api"] }
        let error = await authError { try await world.state.performAction(world.request, reauthorize: asAda) }
        #expect(error?.code == .insufficientScope && world.logins() == 1)
        #expect(try await world.state.withReauthorization(asAda) { 1 } == 1)
        await #expect(throws: CancellationError.self) {
            try await world.state.withReauthorization(asAda) { throw CancellationError() }
        }
        #expect(world.logins() == 1)
    }

    @Test func `without an ID token the user cannot be compared: no page is shown`() async throws {
        let world = try await World(scopes: ["api"])
        world.provider.revokeGrants()
        let error = await authError { try await world.state.performAction(world.request, reauthorize: asAda) }
        #expect(error?.code == .unsupported && error?.underlying?.isEmpty == false && world.logins() == 1)
    }

    @Test func `a state without a login accepts the login of any user`() async throws {
        _ = await world.state.logOut(.revoking)
        let state = AuthState(
            AuthState.Record(Client(world.fixture.configuration, id: "app")),
            service: world.fixture.service, store: world.store)
        #expect(try await state.performAction(world.request, reauthorize: asBob).status == 200)
        #expect(state.isAuthorized && world.logins() == 2)
    }

    @Test("a logout while the page is shown closes it, and is not undone", arguments: [false, true])
    func loggedOut(_ isDeaf: Bool) async throws {
        world.provider.revokeGrants()
        let agent = HeldUserAgent(isDeaf: isDeaf)
        let call = Task { try await world.state.performAction(world.request, reauthorize: .presenting(agent)) }
        await agent.gate.arrivals()
        _ = await world.state.logOut(.revoking)
        #expect(await authError { try await call.value }?.kind == .cancelled)
        agent.gate.open()
        try await eventually { !agent.outcomes.isEmpty }
        await world.state.drain()
        #expect(!world.state.isAuthorized)
        #expect(try await world.store.login() == nil)
    }

    @Test func `a logout before the page is shown leads to no page`() async throws {
        let error = await authError {
            try await world.state.withReauthorization(asAda) {
                _ = await world.state.logOut(.revoking)
                _ = try await world.state.freshTokens()
            }
        }
        #expect(error?.code == .notLoggedIn && world.logins() == 1 && !world.state.isAuthorized)
    }

    @Test func `a client's own state leads to no login`() async throws {
        let state = try await AuthState.logIn(
            .clientCredentials(world.fixture.serviceClient), at: world.fixture.place())
        world.provider.rejectAccessTokens(times: 100)
        let error = await authError { try await state.performAction(world.request, reauthorize: asAda) }
        #expect(error?.code == .tokenRejected && world.logins() == 1)
    }

    @Test("a login of the same user in another process spares this one the page; another user's is refused")
    func elsewhere() async throws {
        for (name, code) in [("ada", nil), ("bob", AuthStateError.Code.accountChanged)] {
            let world = try await World()
            world.provider.revokeGrants()
            await #expect(throws: AuthStateError.self) { try await world.state.refresh() }
            let agent = HeldUserAgent(isOpen: true)
            let error = await authError {
                let response = try await world.state.withReauthorization(.presenting(agent)) {
                    // The other process logs in first, while this call is in progress.
                    if world.logins() == 1 {
                        var request = world.fixture.request()
                        request.loginHint = name
                        _ = try await AuthState.logIn(
                            .browser(request, DirectUserAgent()), at: world.fixture.place(world.store))
                        throw AuthStateError(.invalidGrant, stage: .refresh, "The grant is gone.")
                    }
                    return try await world.state.performAction(world.request)
                }
                #expect(response.status == 200)
            }
            #expect(error?.code == code && agent.count == 0)
        }
    }

    @Test("a request is not repeated as another user whom another process logs in meanwhile", arguments: [1, 3])
    func replacedMeanwhile(_ sending: Int) async throws {
        var request = world.fixture.request()
        request.loginHint = "bob"
        let sent = Lock<[String]>([])
        let transport = Interceptor { [store = world.store, service = world.fixture.service, request] resource in
            let count = sent.withLock { sent in
                sent.append(resource.headers["Authorization"] ?? "")
                return sent.count
            }
            if count == sending {
                _ = try await AuthState.logIn(
                    .browser(request, DirectUserAgent()), at: AuthState.Place(store, service: service))
            }
            return TransportResponse(status: 401, headers: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
        }
        let state = try await AuthState.restore(
            at: AuthState.Place(world.store, service: AuthorizationService(transport: transport)))
        let error = await authError {
            try await state.performAction(world.request, policy: .renewOnce, reauthorize: asAda)
        }
        #expect(error?.code == .accountChanged)
        #expect(sent.withLock { $0.count } == sending)
    }

    /// Answers for the resource, and sends everything else.
    private struct Interceptor: HTTPTransport {
        let answer: @Sendable (TransportRequest) async throws -> TransportResponse
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            request.url.path.hasSuffix("/api/hello")
                ? try await answer(request) : try await SystemTransport.shared.send(request)
        }
    }

    @Test("a login or logout in another process while the page is shown is not overwritten", arguments: [false, true])
    func elsewhereMeanwhile(_ isLogin: Bool) async throws {
        world.provider.revokeGrants()
        let agent = HeldUserAgent()
        let call = Task { try await world.state.performAction(world.request, reauthorize: .presenting(agent)) }
        await agent.gate.arrivals()
        if isLogin {
            var request = world.fixture.request()
            request.loginHint = "bob"
            _ = try await AuthState.logIn(.browser(request, DirectUserAgent()), at: world.fixture.place(world.store))
        } else {
            try await AuthState.remove(from: world.store)
        }
        let stored = try await world.archive()
        agent.gate.open()
        #expect(await authError { try await call.value }?.code == (isLogin ? .accountChanged : .invalidGrant))
        #expect(try await world.archive() == stored)
        #expect(isLogin || world.provider.requestCount(.revocation) > 0)
    }

    @Test("a cancelled caller returns at once; the browser closes with the last one")
    func cancelled() async throws {
        world.provider.revokeGrants()
        let agent = HeldUserAgent()
        let calls = (0..<2).map { _ in
            Task { try await world.state.performAction(world.request, reauthorize: .presenting(agent)) }
        }
        await agent.gate.arrivals()
        // Both are there: the provider has been asked by both, or by one for both.
        try await eventually { world.state.authorizationError != nil }
        for call in calls {
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try await eventually { agent.outcomes == ["cancelled"] }
        #expect(agent.count == 1 && world.logins() == 1)
        // The next request gets a page of its own.
        #expect(try await world.state.performAction(world.request, reauthorize: asAda).status == 200)
    }

    @Test("a resource that wants a stronger or newer login gets it (RFC 9470)")
    func stepUp() async throws {
        let challenge = #"Bearer error="insufficient_user_authentication", acr_values="phr phrh", max_age="5""#
        world.provider.rejectAccessTokens(challenge: challenge)
        #expect(try await world.state.performAction(world.request, reauthorize: asAda).status == 200)
        let sent = try #require(world.provider.requests(at: .authorization).last?.parameters)
        #expect(sent["acr_values"] == "phr phrh" && sent["max_age"] == "5" && world.logins() == 2)
    }

    @Test("the login's request is the last one, made anew for a user who is present")
    func request() async throws {
        var record = world.state.record
        record.lastAuthorizationResponse?.request.prompt = [AuthorizationRequest.Prompt.none, .consent]
        record.lastAuthorizationResponse?.request.idTokenHint = "an old one"
        record.lastAuthorizationResponse?.request.resources = ["https://api.example"]
        record.idToken = unsignedToken(["iss": "i", "sub": "s", "preferred_username": "ada"])
        let error = AuthStateError(.invalidGrant, stage: .refresh, "The grant is gone.")
        let request = asAda.request(of: record, after: error)
        #expect(request.prompt == [.consent] && request.idTokenHint == nil && request.loginHint == "ada")
        #expect(request.resources == ["https://api.example"] && request.maxAge == nil)
        #expect(asBob.request(of: record, after: error).loginHint == "bob")
    }
}
