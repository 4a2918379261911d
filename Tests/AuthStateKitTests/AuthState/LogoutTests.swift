import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(5))) struct LogoutTests {
    private let fixture: ProviderFixture
    private let store = InMemoryAuthStateStore()

    init() async throws { fixture = try await ProviderFixture() }

    /// A logged-in state, with the tokens as they were.
    private func login(
        _ fixture: ProviderFixture, store: any AuthStateStore = InMemoryAuthStateStore()
    ) async throws -> (state: AuthState, tokens: AuthState.Record) {
        let state = try await AuthState.logIn(.browser(fixture.request(), DirectUserAgent()), at: fixture.place(store))
        return (state, state.record)
    }

    private func isActive(
        _ kind: TokenTypeHint, of record: AuthState.Record, at fixture: ProviderFixture
    ) async throws -> Bool {
        try await AuthState(record, service: fixture.service, store: InMemoryAuthStateStore()).introspect(kind).isActive
    }

    @Test("a logout revokes both tokens, ends the session and leaves nothing stored")
    func whole() async throws {
        let (state, tokens) = try await login(fixture, store: store)
        let outcome = await state.logOut(.everywhere(DirectUserAgent()))
        #expect(outcome == LogoutOutcome(removal: .done, revocation: .done, session: .ended))
        #expect(outcome.failures.isEmpty && outcome.pending == nil)
        #expect(!state.isAuthorized && state.record.refreshToken == nil)
        #expect(try await store.login() == nil)
        #expect(try await isActive(.refreshToken, of: tokens, at: fixture) == false)
        #expect(try await isActive(.accessToken, of: tokens, at: fixture) == false)
        let revocations = fixture.provider.requests(at: .revocation)
        #expect(revocations.map { $0.parameters["token_type_hint"] } == ["refresh_token", "access_token"])
        let page = try #require(fixture.provider.requests(at: .endSession).first)
        #expect(page.parameters["id_token_hint"] == tokens.idToken && page.parameters["client_id"] == "app")
        #expect(await authError { try await state.freshTokens() }?.code == .notLoggedIn)
    }

    @Test func `forgetLogout() removes what a logout left, and keeps a later login of another process`() async throws {
        let (state, _) = try await login(fixture, store: store)
        try await state.forgetLogout()
        #expect(try await store.login() != nil, "nothing has ended")
        _ = await state.logOut(.everywhere())
        #expect(try await store.load(.default) != nil)
        try await state.forgetLogout()
        #expect(try await store.load(.default) == nil)
        try await state.forgetLogout()
        #expect(await authError { try await state.freshTokens() }?.code == .notLoggedIn)

        _ = await state.logOut(.everywhere())
        let (other, _) = try await login(fixture, store: store)
        try await state.forgetLogout()
        #expect(try await store.login()?.grantID == other.record.grantID)
        #expect(state.record.grantID == other.record.grantID)
    }

    @Test func `a logout from an error state revokes the tokens and ends the session too`() async throws {
        let (state, tokens) = try await login(fixture)
        try await state.update(authorizationError: AuthStateError(.accessDenied, stage: .resource, "Ended."))
        let outcome = await state.logOut(.everywhere(DirectUserAgent()))
        #expect(outcome == LogoutOutcome(removal: .done, revocation: .done, session: .ended))
        #expect(state.authorizationError == nil && !state.isAuthorized)
        #expect(try await isActive(.refreshToken, of: tokens, at: fixture) == false)
    }

    @Test func `an offline logout removes the login here, and its outcome says what was not done`() async throws {
        let (state, _) = try await login(fixture, store: store)
        await fixture.provider.stop()
        let outcome = await state.logOut(.everywhere(DirectUserAgent()))
        #expect(outcome.removal == .done && outcome.failures.count == 2)
        guard case .failed(let error) = outcome.revocation else { return #expect(Bool(false), "\(outcome)") }
        #expect(error.kind == .transient && error.stage == .logout)
        #expect(!state.isAuthorized)
        #expect(try await store.login() == nil)
    }

    @Test func `an endpoint that the provider does not offer is not a failure`() async throws {
        var record = try await login(fixture).tokens
        record.client.provider.revocationEndpoint = nil
        record.client.provider.endSessionEndpoint = nil
        let outcome = await AuthState(record, service: fixture.service, store: InMemoryAuthStateStore()).logOut(
            .everywhere(DirectUserAgent()))
        #expect(outcome == LogoutOutcome(removal: .done, revocation: .notOffered, session: .notOffered))
        #expect(outcome.failures.isEmpty)
    }

    @Test("a browser that returns from another logout fails the session's part alone")
    func foreignState() async throws {
        let (state, tokens) = try await login(fixture)
        let outcome = await state.logOut(.everywhere(DirectUserAgent(.changingState)))
        #expect(outcome.removal == .done && outcome.revocation == .done)
        #expect(outcome.failures.map(\.code) == [.stateMismatch])
        #expect(try await isActive(.refreshToken, of: tokens, at: fixture) == false)
    }

    @Test("a web server sends the browser itself, and checks the state when it comes back, in another process")
    func twoSteps() async throws {
        let (state, _) = try await login(fixture)
        let place = try RedirectURI("http://127.0.0.1:5000/callback")
        let outcome = await state.logOut(.everywhere(postLogoutRedirectURI: place))
        #expect(!state.isAuthorized && outcome.revocation == .done && outcome.failures.isEmpty)
        let kept = try JSONEncoder().encode(try #require(outcome.pending))
        let pending = try JSONDecoder().decode(PendingLogout.self, from: kept)
        #expect(pending == outcome.pending)
        let answer = try await fixture.service.transport.send(TransportRequest(url: pending.url))
        let location = try #require(answer.headers["Location"])
        try fixture.service.complete(pending, callback: AuthorizationCallback(url: location))
        for callback in ["\(place.rawValue)?state=another", place.rawValue] {
            let error = await authError {
                try fixture.service.complete(pending, callback: AuthorizationCallback(url: callback))
            }
            #expect(error?.code == .stateMismatch)
        }
    }

    @Test func `a local logout asks the provider for nothing, and one that revokes opens no page`() async throws {
        let fixture = try await ProviderFixture()
        let store = InMemoryAuthStateStore()
        let (state, _) = try await login(fixture, store: store)
        #expect(
            await state.logOut(.local)
                == LogoutOutcome(removal: .done, revocation: .notNeeded, session: .notNeeded))
        #expect(fixture.provider.requestCount(.revocation) == 0 && fixture.provider.requestCount(.endSession) == 0)
        #expect(try await store.login()?.isAuthorized != true && !state.isAuthorized)

        let (other, _) = try await login(fixture, store: store)
        #expect(
            await other.logOut(.revoking) == LogoutOutcome(removal: .done, revocation: .done, session: .notNeeded))
        #expect(fixture.provider.requestCount(.revocation) > 0 && fixture.provider.requestCount(.endSession) == 0)
    }

    @Test func `a program can change the request; hints and languages go to the provider`() async throws {
        let (state, _) = try await login(fixture)
        let outcome = await state.logOut(
            .everywhere(DirectUserAgent()) { request in
                request.idTokenHint = nil
                request.logoutHint = "ada"
                request.uiLocales = ["fr-CA", "en"]
            })
        #expect(outcome.session == .ended)
        let page = try #require(fixture.provider.requests(at: .endSession).first)
        #expect(page.parameters["logout_hint"] == "ada" && page.parameters["ui_locales"] == "fr-CA en")
        #expect(page.parameters["id_token_hint"] == nil)
    }

    @Test func `a client's own state has no session to end, and its token is revoked once`() async throws {
        let state = try await AuthState.logIn(.clientCredentials(fixture.serviceClient), at: fixture.place())
        let outcome = await state.logOut(.everywhere(DirectUserAgent()))
        #expect(outcome == LogoutOutcome(removal: .done, revocation: .done, session: .notNeeded))
        #expect(await state.logOut(.everywhere()).revocation == .notNeeded)
        #expect(fixture.provider.requests(at: .revocation).count == 1)
    }

    @Test("a cancelled logout does the local part and reports the rest as cancelled")
    func cancelled() async throws {
        let (state, _) = try await login(fixture, store: store)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await state.logOut(.everywhere(DirectUserAgent()))
        }
        let outcome = await task.value
        #expect(outcome.removal == .done && outcome.failures.map(\.code) == [.cancelled, .cancelled])
        #expect(try await store.login() == nil)
        #expect(fixture.provider.requests(at: .revocation).isEmpty)
    }

    @Test("a store that cannot be written is a failure; the login is gone in memory and revoked all the same")
    func unwritable() async throws {
        let (_, tokens) = try await login(fixture, store: store)
        let stored = try #require(try await store.load(.default))
        let state = AuthState(
            tokens, service: fixture.service, store: ReadOnlyAuthStateStore(store), storedVersion: stored.version)
        let outcome = await state.logOut(.everywhere())
        #expect(outcome.failures.map(\.code) == [.storeReadOnly] && outcome.revocation == .done)
        #expect(!state.isAuthorized && state.status.storeError?.code == .storeReadOnly)
        #expect(try await isActive(.refreshToken, of: tokens, at: fixture) == false)
    }

    @Test func `a logout revokes the tokens that another process has renewed meanwhile`() async throws {
        let (state, _) = try await login(fixture, store: store)
        let other = try await AuthState.restore(at: fixture.place(store))
        try await other.refresh()
        let newest = other.record
        #expect(await state.logOut(.everywhere()).revocation == .done)
        let asked = fixture.provider.requests(at: .revocation).map { $0.parameters["token"] }
        #expect(asked == [newest.refreshToken, newest.accessToken])
        #expect(await authError { try await other.freshTokens() }?.code == .notLoggedIn)
    }

    @Test("a logout during a renewal: its caller gets no tokens, and late tokens are revoked before the flight ends")
    func duringRenewal() async throws {
        let gate = ScriptedTransport.Gate()
        let (state, _) = try await login(fixture, store: store)
        fixture.provider.inject(.held(gate), at: .token)
        let caller = Task { await authError { try await state.refresh() } }
        try await eventually { fixture.provider.statistics.refreshRequests == 1 }
        let logout = Task { await state.logOut(.everywhere()) }
        try await bounded { while await state.newest.grantEpoch < 2 { await Task.yield() } }
        #expect(!state.isAuthorized)
        gate.open()
        let outcome = try await bounded { await logout.value }
        #expect(outcome.removal == .done && outcome.revocation == .done)
        #expect(try await bounded { await caller.value }?.code == .notLoggedIn)
        await state.drain()
        #expect(try await store.login() == nil)
        // The late refresh token and both earlier tokens: no token of this grant is valid any more.
        #expect(fixture.provider.requests(at: .revocation).count == 3)
    }

    @Test func `a logout also revokes a login of another process that it removes from the store`() async throws {
        let (state, first) = try await login(fixture, store: store)
        let (_, second) = try await login(fixture, store: store)
        #expect(await state.logOut(.everywhere()).revocation == .done)
        #expect(try await store.login() == nil)
        for tokens in [first, second] { #expect(try await isActive(.refreshToken, of: tokens, at: fixture) == false) }
    }

    @Test func `a repeated logout revokes and removes the state that the first one could not remove`() async throws {
        let store = FaultyStore()
        let (state, tokens) = try await login(fixture, store: store)
        fixture.provider.inject(.reset, at: .revocation)
        store.fail(.save, .delete)
        #expect(await state.logOut(.everywhere()).failures.count == 2)
        store.fail()
        let outcome = await state.logOut(.everywhere())
        #expect(outcome.removal == .done && outcome.revocation == .done)
        #expect(try await store.inner.login() == nil)
        #expect(try await isActive(.refreshToken, of: tokens, at: fixture) == false)
    }

    @Test("a logout that waited for the store leaves a login alone that another process stored meanwhile")
    func overtaken() async throws {
        let clock = ManualClock()
        let fixture = try await ProviderFixture(clock: clock)
        let (state, first) = try await login(fixture, store: store)
        let held = ScriptedTransport.Gate()
        let ready = ScriptedTransport.Gate()
        let elsewhere = Task {
            try await store.withLease(.default, deadline: .seconds(10)) { lease in
                ready.open()
                try await held.pass()
                clock.advance(by: .seconds(1))
                let second = try await self.login(fixture).tokens
                _ = try await lease.save(AuthStateArchive(second).data(), expecting: try await lease.load()?.version)
                return second
            }
        }
        try await ready.pass()
        let logout = Task { await state.logOut(.everywhere()) }
        try await bounded { while await state.newest.grantEpoch < 2 { await Task.yield() } }
        held.open()
        let second = try await bounded { try await elsewhere.value }
        #expect(try await bounded { await logout.value }.failures.isEmpty)
        #expect(try await store.login() != nil)
        #expect(try await isActive(.refreshToken, of: second, at: fixture))
        #expect(try await isActive(.refreshToken, of: first, at: fixture) == false)
        #expect(state.record.refreshToken == second.refreshToken)
    }

    @Test func `a logout keeps the client that another process has registered meanwhile`() async throws {
        let (state, tokens) = try await login(fixture, store: store)
        let other = try await AuthState.register(try fixture.registration(), at: fixture.place(store))
        #expect(await state.logOut(.everywhere()).failures.isEmpty)
        let kept = try AuthStateArchive(data: try #require(try await store.load(.default)).archive).record
        #expect(kept.lastRegistrationResponse == other.record.lastRegistrationResponse)
        #expect(try await isActive(.refreshToken, of: tokens, at: fixture) == false)
    }
}
