import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource
@testable import AuthStateServer

@Suite(.timeLimit(.minutes(2))) struct LateLogoutTests {
    @Test(
        "the login is refused at the other server, its tokens are revoked, and nothing of it stays",
        arguments: LateLogin.Ending.allCases)
    func refused(_ ending: LateLogin.Ending) async throws {
        let site = try await LateLogin()
        let server = site.server(ending)
        let error = await authError {
            try await server.logIn(.browser(site.fixture.request(), DirectUserAgent()), for: "a")
        }
        #expect(error?.code == .notLoggedIn && error?.kind == .reauthenticationRequired)
        #expect(site.fixture.provider.requestCount(.revocation) == 2)
        #expect(try await site.base.load("a") == nil && server.loadedState(for: "a") == nil)
        #expect(await authError { try await site.other.state(for: "a") }?.code == .notLoggedIn)
    }

    @Test("a state that is added to the pool after its login is returned logged out")
    func inserted() async throws {
        let site = try await LateLogin()
        let server = site.server(.user)
        let state = try await AuthState.logIn(
            .browser(site.fixture.request(), DirectUserAgent()),
            at: AuthState.Place(server.store, key: "a", service: server.service))
        #expect(state.isAuthorized)
        #expect(await !server.insert(state).isAuthorized)
    }

    @Test func `an entry that can never be read prevents no login, which is reported as not saved`() async throws {
        let fixture = try await ProviderFixture()
        let base = InMemoryAuthStateStore()
        for (key, isSaved) in [("a", true), ("b", false)] {
            let sealed = try SealedAuthStateStore(base, keys: [SealingKey.random()])
            let pool = AuthStatePool(store: IndexedAuthStateStore(sealed), service: fixture.service)
            let state = try await pool.logIn(
                .browser(fixture.request(), DirectUserAgent()), for: AuthStateKey(rawValue: key))
            #expect(state.isAuthorized && (state.status.storeError == nil) == isSaved)
        }
    }

    @Test(
        "a login that could not be saved ends with its user's sessions, at another server once it is saved, by a renewal too",
        arguments: [(0, false), (1, false), (1, true)])
    func unsaved(_ number: Int, renews: Bool) async throws {
        let (fixture, base) = (try await ProviderFixture(), FaultyStore())
        let pools = (0..<2).map { _ in
            AuthStatePool(store: IndexedAuthStateStore(base), service: fixture.service)
        }
        base.fail(.save)
        let state = try await pools[0].logIn(.browser(fixture.request(), DirectUserAgent()), for: "a")
        #expect(state.isAuthorized && state.status.storeError != nil)
        base.fail()
        let token = try IDToken(parsing: try #require(state.record.idToken))
        let issuer = try Issuer(try #require(token.issuer))
        let ended = try await pools[number].logOut(user: try #require(token.subject), at: issuer).ended
        #expect(ended == (number == 0 ? ["a"] : []) && state.isAuthorized == (number == 1))
        if renews {
            try await state.setNeedsTokenRefresh()
            _ = try await state.freshTokens()
            #expect(state.hasNoStoreError && state.isAuthorized)
        }
        let running = Task { await pools[0].run() }
        try await eventually { !state.isAuthorized }
        running.cancel()
        await running.value
        #expect(fixture.provider.requestCount(.revocation) == 2)
        #expect(await authError { try await pools[1].state(for: "a") }?.code == .notLoggedIn)
    }

    @Test("a login in place of another that could not be saved ends with its session, too")
    func unsavedInPlace() async throws {
        let (fixture, base) = (try await ProviderFixture(), FaultyStore())
        let pools = (0..<2).map { _ in
            AuthStatePool(store: IndexedAuthStateStore(base), service: fixture.service)
        }
        let state = try await pools[0].logIn(.browser(fixture.request(), DirectUserAgent()), for: "a")
        base.fail(.save)
        try? await state.authorize(fixture.request(), presenting: DirectUserAgent())
        #expect(state.isAuthorized && !state.hasNoStoreError)
        base.fail()
        let token = try IDToken(parsing: try #require(state.record.idToken))
        let posted = try fixture.provider.logoutToken(for: "app", sessionID: token.sessionID)
        let logout = try await fixture.service.logoutToken(
            posted, configuration: fixture.configuration, clientID: "app")
        #expect(try await pools[1].logOut(logout).ended.isEmpty && state.isAuthorized)
        let running = Task { await pools[0].run() }
        try await eventually { !state.isAuthorized }
        running.cancel()
        await running.value
    }

    @Test("a login for a resource is refused too")
    func resource() async throws {
        let clock = ManualClock()
        let world = try await ResourceWorld(clock: clock)
        let store = IndexedAuthStateStore(world.store)
        func access() throws -> ResourceAccess {
            var options = ResourceAccess.Options()
            options.scopes = [.openID]
            return try ResourceAccess(
                world.url.absoluteString, clients: [.known("app", issuer: world.provider.issuer)],
                login: .presenting(DirectUserAgent()), store: store, service: world.service, options: options)
        }
        let configuration = try await world.service.discoverConfiguration(issuer: world.provider.issuer)
        let posted = try world.provider.logoutToken(for: "app", subject: "248289761001")
        let token = try await world.service.logoutToken(posted, configuration: configuration, clientID: "app")
        #expect(try await AuthStatePool(store: store, service: world.service).logOut(token).ended.isEmpty)
        // In the same second.
        #expect(await authError { try await access().logIn() }?.code == .notLoggedIn)
        #expect(try await access().authState()?.isAuthorized != true && world.provider.requestCount(.revocation) > 0)
        clock.advance(by: .seconds(3))
        try await access().logIn()
        #expect(try await access().authState()?.isAuthorized == true)
    }

    @Test("a login after the logout stands, and a token that comes once more ends nothing")
    func laterLogin() async throws {
        let site = try await LateLogin()
        #expect(await authError { try await site.logIn(.user) }?.code == .notLoggedIn)
        site.clock.advance(by: .seconds(3))
        #expect(try await site.other.logIn(.browser(site.fixture.request(), DirectUserAgent()), for: "a").isAuthorized)
    }

    @Test("the record of an end outlives sweeps as long as a login may take, then a sweep removes it")
    func swept() async throws {
        let site = try await LateLogin()
        for ending in LateLogin.Ending.allCases {
            #expect(await authError { try await site.logIn(ending) }?.code == .notLoggedIn)
        }
        func records() async throws -> Int {
            try await site.other.sweep(olderThan: .zero)
            return try await site.base.entries(savedBefore: .distantFuture).count
        }
        // Two sessions and one user.
        site.clock.advance(by: .seconds(120 + 600))
        #expect(try await records() == 3)
        site.clock.advance(by: .seconds(400))
        #expect(try await records() == 0)
    }

    @Test func `the last of several ends counts, and an entry from before ends were recorded is read`() async throws {
        func token(_ issued: Double) throws -> LogoutToken {
            try LogoutToken(
                LogoutTokenForger.token(["iat": .number(JSONNumber(Int64(issued)))]), keys: LogoutTokenForger.keys(),
                expectation: LogoutTokenForger.expectation())
        }
        let now = LogoutTokenForger.now.timeIntervalSince1970
        let store = IndexedAuthStateStore(InMemoryAuthStateStore())
        for issued in [now - 10, now, now - 20] {
            let posted = try token(issued)
            let name = try #require(SessionName(posted))
            try await store.index.end(name, SessionIndexEntry.End(posted, of: name))
        }
        let name = try #require(SessionName(token(now)))
        #expect(try await store.index.entry(of: name).end?.through == now + name.leeway)
        let former = Data(#"{"format":1,"sessionIndex":1,"sessions":{"a":{"begun":1,"grant":"g"}}}"#.utf8)
        let entry = try #require(SessionIndexEntry(data: former))
        #expect(entry.sessions.count == 1 && entry.end == nil && !entry.isEmpty)
    }
}
