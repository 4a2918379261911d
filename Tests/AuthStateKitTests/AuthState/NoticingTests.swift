import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// Two processes on one stored state: each is a state of its own over a store of its own, with the same contents.
struct NoticingTests {
    private let world: World

    init() async throws { world = try await World() }

    private struct World {
        var fixture: Fixture
        let contents = InMemoryAuthStateStore()
        let store: WatchedStore
        let log = EventLog()
        let mine: AuthState
        let theirs: AuthState

        init(_ replies: [ScriptedTransport.Reply] = [], tells: Bool = true, refreshToken: String? = "SECRET-refresh-0")
            async throws
        {
            fixture = try Fixture(replies, refreshToken: refreshToken)
            store = WatchedStore(contents, tells: tells)
            try await contents.withLease(.default, deadline: .seconds(1)) { [fixture] lease in
                _ = try await lease.save(AuthStateArchive(fixture.record).data(), expecting: nil)
            }
            theirs = try await AuthState.restore(at: fixture.place(contents))
            fixture.options.observer = log
            mine = try await AuthState.restore(at: fixture.place(store))
        }

        func login(_ token: String) async throws { try await theirs.update(with: fixture.response(token)) }
    }

    @Test func `tokens that another process renewed are used next, and published`() async throws {
        let world = try await World([Fixture.tokens(1)])
        var changes = world.mine.stateChanges.makeAsyncIterator()
        _ = await changes.next()
        #expect(world.mine.tokensIfFresh()?.accessToken == "SECRET-access-0")
        _ = try await world.theirs.refresh()
        world.store.tell()
        #expect(world.mine.tokensIfFresh() == nil)
        #expect(try await world.mine.freshTokens().accessToken == "SECRET-access-1")
        #expect(world.mine.tokensIfFresh()?.accessToken == "SECRET-access-1")
        #expect(await changes.next()?.revision == world.theirs.status.revision)
        #expect(world.log.events.contains(.adopted))
        #expect(world.fixture.transport.requests.count == 1)
    }

    @Test func `a logout in another process ends the use of a token that is still fresh`() async throws {
        try await world.theirs.clear()
        world.store.tell()
        #expect(await authError { try await world.mine.freshTokens() }?.code == .notLoggedIn)
        #expect(!world.mine.isAuthorized)
        #expect(world.mine.record.refreshToken == nil)
    }

    @Test func `changes by another process are noticed from the first moment after a login here`() async throws {
        let fixture = try await ProviderFixture(clock: ManualClock())
        let store = InMemoryAuthStateStore()
        let mine = try await AuthState.logIn(
            .browser(fixture.request(), DirectUserAgent()), at: AuthState.Place(store, service: fixture.service))
        let theirs = try await AuthState.logIn(
            .browser(fixture.request(), DirectUserAgent()), at: AuthState.Place(store, service: fixture.service))
        #expect(try await mine.freshTokens().accessToken == theirs.record.accessToken)
        try await theirs.clear()
        #expect(await authError { try await mine.freshTokens() }?.code == .notLoggedIn)
    }

    @Test func `a login in another process ends an error here, without a request`() async throws {
        try await world.theirs.update(authorizationError: Hang())
        world.store.tell()
        #expect(await authError { try await world.mine.freshTokens() }?.code == .providerError)
        try await world.login("SECRET-new")
        world.store.tell()
        #expect(try await world.mine.freshTokens().accessToken == "SECRET-new")
        #expect(world.fixture.transport.requests.isEmpty)
    }

    @Test func `a refused token is not renewed when another process has logged in again`() async throws {
        let world = try await World(refreshToken: nil)
        let answer = try await world.mine.withFreshToken { tokens in
            if tokens.accessToken == "SECRET-access-0" {
                try await world.login("SECRET-new")
                world.store.tell()
                throw TokenRejected(challenges: [])
            }
            return tokens.accessToken
        }
        #expect(answer == "SECRET-new")
        #expect(world.mine.isAuthorized)
    }

    @Test func `a store that reports no change is read only once a minute`() async throws {
        let before = world.store.readings
        for _ in 0..<100 { _ = try await world.mine.freshTokens() }
        world.fixture.clock.advance(by: .seconds(59))
        _ = try await world.mine.freshTokens()
        #expect(world.store.readings == before)
        world.fixture.clock.advance(by: .seconds(1))
        for _ in 0..<100 { _ = try await world.mine.freshTokens() }
        #expect(world.store.readings == before + 1)
    }

    @Test("a store that cannot report changes is read once an interval, also after the clock was set back")
    func readingByInterval() async throws {
        let world = try await World(tells: false)
        let before = world.store.readings
        for _ in 0..<10 { _ = try await world.mine.freshTokens() }
        #expect(world.store.readings == before)
        try await world.login("SECRET-new")
        world.fixture.clock.advance(by: .seconds(1))
        #expect(world.mine.tokensIfFresh()?.accessToken == "SECRET-access-0")
        for _ in 0..<10 { #expect(try await world.mine.freshTokens().accessToken == "SECRET-new") }
        #expect(world.store.readings == before + 1)
        world.fixture.clock.advance(by: .seconds(-500))
        _ = try await world.mine.freshTokens()
        #expect(world.store.readings == before + 2)
    }

    @Test("a stored state that cannot be read is reported once and changes nothing", arguments: [true, false])
    func unreadable(_ isGarbage: Bool) async throws {
        let failure = AuthStateError(.storeUnreadable, stage: .store, "I/O error")
        if isGarbage { world.store.show("garbage") } else { world.store.failReadings(with: failure) }
        world.store.tell()
        for _ in 0..<3 { #expect(try await world.mine.freshTokens().accessToken == "SECRET-access-0") }
        let reports = world.log.events.compactMap { if case .readFailed(let error) = $0 { error.code } else { nil } }
        #expect(reports == [isGarbage ? .storeCorrupt : .storeUnreadable])
        #expect(await authError { try await world.mine.reload() }?.kind == .store)
        world.store.show(nil)
        world.store.failReadings(with: nil)
        try await world.login("SECRET-new")
        try await world.mine.reload()
        #expect(world.mine.tokensIfFresh()?.accessToken == "SECRET-new")
    }

    @Test func `a reading that is overtaken by a change here is not adopted`() async throws {
        let world = try await World([Fixture.tokens(1)])
        let gate = ScriptedTransport.Gate()
        world.store.hold(at: gate)
        world.store.tell()
        let caller = Task { try await world.mine.freshTokens() }
        await gate.arrivals()
        #expect(try await world.mine.refresh().accessToken == "SECRET-access-1")
        world.store.hold(at: nil)
        gate.open()
        #expect(try await caller.value.accessToken == "SECRET-access-1")
        #expect(world.mine.record.refreshToken == "SECRET-refresh-1")
    }

    @Test func `a store that does not answer in time is given up, and the token at hand is used`() async throws {
        let gate = ScriptedTransport.Gate()
        world.store.hold(at: gate)
        world.store.tell()
        let caller = Task { try await world.mine.freshTokens() }
        await gate.arrivals()
        await world.fixture.clock.sleepers()
        world.fixture.clock.advance(by: .seconds(6))
        #expect(try await caller.value.accessToken == "SECRET-access-0")
        #expect(world.log.events.contains { if case .readFailed = $0 { true } else { false } })
        gate.open()
        let readings = world.store.readings
        world.fixture.clock.advance(by: .seconds(1))
        _ = try await world.mine.freshTokens()
        #expect(world.store.readings == readings, "no caller waits for it again at once")
    }

    @Test("a cancelled caller that reads is free at once, and the others get the state that was read")
    func cancelledReader() async throws {
        try await world.login("SECRET-new")
        let gate = ScriptedTransport.Gate()
        world.store.hold(at: gate)
        world.store.tell()
        let first = Task { try await world.mine.freshTokens() }
        await gate.arrivals()
        let second = Task { try await world.mine.freshTokens() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await bounded { try await first.value } }
        world.store.hold(at: nil)
        gate.open()
        #expect(try await second.value.accessToken == "SECRET-new")
    }

    @Test("a change that could not be read is looked for again soon, not only after the next report")
    func unreadableChange() async throws {
        try await world.theirs.clear()
        world.store.failReadings(with: AuthStateError(.storeUnreadable, stage: .store, "I/O error"))
        world.store.tell()
        #expect(try await world.mine.freshTokens().accessToken == "SECRET-access-0")
        world.store.failReadings(with: nil)
        world.fixture.clock.advance(by: .seconds(1))
        #expect(await authError { try await world.mine.freshTokens() }?.code == .notLoggedIn)
    }

    @Test func `a reading that is overtaken by a logout here brings nothing back`() async throws {
        let fixture = try Fixture()
        let contents = InMemoryAuthStateStore()
        let store = WatchedStore(contents)
        let mine = fixture.state(store: store)
        try await fixture.state(store: contents).setNeedsTokenRefresh()
        let gate = ScriptedTransport.Gate()
        store.hold(at: gate)
        let reading = Task { try await mine.reload() }
        await gate.arrivals()
        try await mine.clear()
        store.hold(at: nil)
        gate.open()
        try await reading.value
        #expect(!mine.isAuthorized)
    }
}
