import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

struct PoolLoginTests {
    private let fixture = PoolFixture()

    @Test func `a whole login goes through the pool, and the provider renews it`() async throws {
        let provider = try await OpenIDProvider()
        let service = AuthorizationService()
        let pool = AuthStatePool(store: InMemoryAuthStateStore(), service: service)
        let request = AuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"),
            scopes: [.openID, .offlineAccess], redirectURI: try RedirectURI("http://127.0.0.1:9/callback"))
        let pending = try await service.begin(request)
        let agent = try await DirectUserAgent().prepare(redirectURI: request.redirectURI, for: .login)
        let callback = try await agent.present(pending.url)
        let state = try await pool.logIn(.callback(callback, of: pending), for: "session-1", annotations: ["tab": "1"])
        #expect(try await pool.state(for: "session-1") === state)
        #expect(state.record.annotations == ["tab": "1"])
        let first = try await pool.freshTokens(for: "session-1").accessToken
        #expect(try await state.refresh().accessToken != first)
        try await pool.remove("session-1")
        #expect(await authError { try await pool.state(for: "session-1") }?.code == .notLoggedIn)
        await provider.stop()
    }

    @Test func `a client's own token is kept under a key, with the credential of that key`() async throws {
        let provider = try await OpenIDProvider()
        let service = AuthorizationService()
        let client = try #require(provider.configuration.clients.first { $0.id == "service" })
        let pool = AuthStatePool(
            store: InMemoryAuthStateStore(), service: service, credential: .secret(try #require(client.secret)))
        let state = try await pool.logIn(
            .clientCredentials(
                Client(try await service.discoverConfiguration(issuer: provider.issuer), id: client.id), scopes: ["api"]
            ), for: "machine")
        #expect(try await pool.state(for: "machine") === state)
        #expect(try await pool.freshTokens(for: "machine").accessToken.isEmpty == false)
        await provider.stop()
    }

    @Test func `the holder of a key's state sees the next login in it: there is one object for a key`() async throws {
        try await fixture.logIn("ada")
        let held = try await fixture.pool.state(for: "ada")
        _ = try await held.refresh()
        #expect(held.record.accessToken == "ada-1")
        let state = await fixture.pool.insert(try await fixture.newLogin("ada"))
        #expect(state === held)
        #expect(held.record.accessToken == "ada-0" && held.record.refreshToken == "ada-r0")
        #expect(try await fixture.pool.state(for: "ada") === held)
    }

    @Test func `two logins keep the provider's configuration once between them`() async throws {
        var kept: Set<ObjectIdentifier> = []
        for key in ["ada", "grace"] as [AuthStateKey] {
            let state = await fixture.pool.insert(try await fixture.newLogin(key))
            kept.formUnion(await state.configurations)
        }
        #expect(kept.count == 1)
    }

    @Test func `a login stands although the logout before it could not be saved`() async throws {
        try await fixture.logIn("ada")
        let held = try await fixture.pool.state(for: "ada")
        fixture.store.setReadOnly(true)
        #expect(await authError { try await fixture.pool.remove("ada") }?.kind == .store)
        #expect(!held.isAuthorized)
        fixture.store.setReadOnly(false)
        await fixture.pool.insert(try await fixture.newLogin("ada"))
        #expect(try await fixture.pool.freshTokens(for: "ada").accessToken == "ada-0")
        #expect(try await fixture.store.load("ada") != nil)
    }

    @Test("a logout empties the store, and a holder of the state sees it")
    func logout() async throws {
        try await fixture.logIn("ada")
        let held = try await fixture.pool.state(for: "ada")
        try await fixture.pool.remove("ada")
        #expect(!held.isAuthorized && held.tokensIfFresh() == nil)
        #expect(try await fixture.store.login("ada") == nil)
        #expect(fixture.pool.loadedState(for: "ada") == nil)
        #expect(await authError { try await fixture.pool.state(for: "ada") }?.code == .notLoggedIn)
        fixture.clock.advance(by: .seconds(1))
        // The held object is the key's one object still.
        #expect(await fixture.pool.insert(try await fixture.newLogin("ada")) === held)
        #expect(held.isAuthorized)
    }

    @Test func `the record of a logout is removed on request, and a login is not`() async throws {
        try await fixture.logIn("ada")
        try await fixture.pool.forgetLogout("ada")
        #expect(try await fixture.store.login("ada") != nil)
        try await fixture.pool.remove("ada")
        #expect(try await fixture.store.load("ada") != nil)
        try await fixture.pool.forgetLogout("ada")
        #expect(try await fixture.store.load("ada") == nil)
        try await fixture.pool.forgetLogout("ada")

        // The same with the key's state in memory.
        try await fixture.logIn("ada")
        let held = try await fixture.pool.state(for: "ada")
        try await fixture.pool.forgetLogout("ada")
        #expect(try await fixture.store.login("ada") != nil)
        try await held.clear()
        try await fixture.pool.forgetLogout("ada")
        #expect(try await fixture.store.load("ada") == nil)
    }

    @Test("a logout of a key that is not in memory empties the store; one of an absent key does nothing")
    func logoutWithoutLoading() async throws {
        try await fixture.logIn("ada")
        try await fixture.pool.remove("ada")
        #expect(try await fixture.store.login("ada") == nil)
        #expect(fixture.store.loads("ada") == 1)
        try await fixture.pool.remove("ada")
        #expect(fixture.pool.statistics.loaded == 0)
    }

    @Test func `a state that no caller holds leaves memory with the logout`() async throws {
        try await fixture.logIn("ada")
        _ = try await fixture.pool.freshTokens(for: "ada")
        try await eventually { fixture.pool.statistics.loaded == 1 }
        try await fixture.pool.remove("ada")
        #expect(fixture.pool.statistics.loaded == 0)
    }

    @Test func `a logout by a holder of the state counts for the pool`() async throws {
        try await fixture.logIn("ada")
        try await fixture.pool.state(for: "ada").clear()
        #expect(await authError { try await fixture.pool.state(for: "ada") }?.code == .notLoggedIn)
        try await eventually { fixture.pool.statistics.loaded == 0 }
    }

    @Test func `a logout by another server counts as soon as the state is asked for`() async throws {
        try await fixture.logIn("ada")
        let state = try await fixture.pool.state(for: "ada")
        try await AuthState.remove(from: fixture.store, key: "ada")
        fixture.clock.advance(by: .seconds(2))
        #expect(await authError { try await fixture.pool.state(for: "ada") }?.code == .notLoggedIn)
        #expect(!state.isAuthorized)
    }

    @Test func `a state that is being read while its key logs out is not handed out`() async throws {
        let pool = fixture.pool
        try await fixture.logIn("ada")
        let gate = ScriptedTransport.Gate()
        fixture.store.hold("ada", at: gate)
        let caller = Task { await authError { try await pool.state(for: "ada") } }
        await gate.arrivals()
        try await pool.remove("ada")
        gate.open()
        #expect(try await bounded { await caller.value }?.code == .notLoggedIn)
        try await eventually { pool.statistics.loaded == 0 }
    }

    @Test func `a state that is being read while its key logs in gives way to the login`() async throws {
        let pool = fixture.pool
        try await fixture.logIn("ada")
        let gate = ScriptedTransport.Gate()
        fixture.store.hold("ada", at: gate)
        let caller = Task { try await pool.state(for: "ada") }
        await gate.arrivals()
        let login = await pool.insert(try await fixture.newLogin("ada"))
        #expect(try await bounded { try await caller.value } === login)
        gate.open()
        try await eventually { fixture.store.loads("ada") == 1 }
        #expect(pool.loadedState(for: "ada") === login)
    }
}

extension AuthState {
    /// The configurations that the state keeps alive.
    fileprivate var configurations: [ObjectIdentifier] {
        [ledger.newest, ledger.shown, ledger.stored].compactMap { $0.map { ObjectIdentifier($0.value.clientBox) } }
    }
}
