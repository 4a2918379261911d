import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer
@testable import AuthStateSystem

struct PoolLoadingTests {
    private let fixture = PoolFixture()

    @Test func `a hundred callers share one reading of the store and get the same object`() async throws {
        let (pool, store) = (fixture.pool, fixture.store)
        try await fixture.logIn("ada")
        let gate = ScriptedTransport.Gate()
        store.hold("ada", at: gate)
        let callers = (0..<100).map { _ in Task { try await pool.state(for: "ada") } }
        await gate.arrivals()
        try await eventually { pool.contents.withLock { $0.loads["ada"]?.waiterCount } == 100 }
        gate.open()
        var states: Set<ObjectIdentifier> = []
        for caller in callers { states.insert(ObjectIdentifier(try await caller.value)) }
        #expect(states.count == 1 && store.loads("ada") == 1)
        #expect(pool.loadedState(for: "ada").map(ObjectIdentifier.init) == states.first)
        #expect(try await pool.withFreshToken(for: "ada") { $0.accessToken } == "ada-0")
        #expect(try await pool.freshTokens(for: "ada").accessToken == "ada-0")
        #expect(store.loads("ada") == 1)
        let statistics = pool.statistics
        #expect(statistics.loaded == 1 && statistics.loads == 1 && statistics.hits == 3)
    }

    @Test("every lookup in memory counts as one hit, whether the tokens can be used at once or not")
    func hits() async throws {
        let pool = fixture.pool
        try await fixture.logIn("ada")
        _ = try await pool.freshTokens(for: "ada")
        #expect(pool.statistics.hits == 0)
        _ = try await pool.freshTokens(for: "ada")
        _ = try await pool.withFreshToken(for: "ada") { $0 }
        _ = try await pool.freshTokens(for: "ada", validFor: .seconds(1))
        #expect(pool.statistics.hits == 3)
        fixture.clock.advance(by: .seconds(4000))
        #expect(try await pool.freshTokens(for: "ada").accessToken == "ada-1")
        #expect(pool.statistics.hits == 4)
        fixture.clock.advance(by: .seconds(4000))
        #expect(try await pool.withFreshToken(for: "ada") { $0.accessToken } == "ada-2")
        #expect(pool.statistics.hits == 5 && pool.statistics.loads == 1)
    }

    @Test func `a state stays in memory while a body runs with its tokens`() async throws {
        let fixture = PoolFixture { $0.capacity = 1 }
        let pool = fixture.pool
        for key: AuthStateKey in ["ada", "eve"] { try await fixture.logIn(key) }
        _ = try await pool.state(for: "ada")
        try await pool.withFreshToken(for: "ada") { _ in
            for _ in 0..<3 { _ = try await pool.state(for: "eve") }
            #expect(pool.loadedState(for: "ada") != nil)
        }
        #expect(fixture.store.loads("ada") == 1)
    }

    @Test func `a token that is refused in a body is renewed, once the state is in memory too`() async throws {
        try await fixture.logIn("ada")
        _ = try await fixture.pool.state(for: "ada")
        let accepted = try await fixture.pool.withFreshToken(for: "ada") { tokens in
            if tokens.accessToken == "ada-0" { throw TokenRejected(challenges: []) }
            return tokens.accessToken
        }
        #expect(accepted == "ada-1")
    }

    @Test func `a cancelled first caller is free at once, and no other caller is`() async throws {
        let (pool, store) = (fixture.pool, fixture.store)
        try await fixture.logIn("ada")
        let gate = ScriptedTransport.Gate()
        store.hold("ada", at: gate)
        let first = Task { try await pool.state(for: "ada") }
        await gate.arrivals()
        let second = Task { try await pool.state(for: "ada") }
        try await eventually { pool.contents.withLock { $0.loads["ada"]?.waiterCount } == 2 }
        first.cancel()
        try await expectCancelled(first)
        gate.open()
        #expect(try await bounded { try await second.value }.isAuthorized)
        #expect(store.loads("ada") == 1)
    }

    @Test func `an absent key is not logged in, which is not remembered`() async throws {
        let error = await authError { try await fixture.pool.state(for: "ada") }
        #expect(error?.code == .notLoggedIn && error?.kind == .reauthenticationRequired)
        #expect(fixture.pool.loadedState(for: "ada") == nil)
        #expect(fixture.pool.statistics.loaded == 0)
        try await fixture.logIn("ada")
        #expect(try await fixture.pool.state(for: "ada").isAuthorized)
    }

    @Test func `a key that cannot be read disturbs no other, and is read again`() async throws {
        for key in ["ada", "bob"] as [AuthStateKey] { try await fixture.logIn(key) }
        fixture.store.setUnreadable(["ada"])
        #expect(await authError { try await fixture.pool.state(for: "ada") }?.code == .storeUnreadable)
        #expect(try await fixture.pool.state(for: "bob").isAuthorized)
        fixture.store.setUnreadable([])
        #expect(try await fixture.pool.state(for: "ada").isAuthorized)
        #expect(fixture.store.loads("ada") == 2)
    }

    @Test func `a state with a client but without a grant counts as not logged in`() async throws {
        let record = try fixture.record("ada")
        try await fixture.save(AuthState.Record(record.client), "ada")
        #expect(await authError { try await fixture.pool.state(for: "ada") }?.code == .notLoggedIn)
        #expect(fixture.pool.statistics.loaded == 0)
    }

    @Test func `a state in error is handed out, and its calls throw what is wrong`() async throws {
        let refusal = AuthStateError(.invalidGrant, stage: .refresh, "gone")
        try await fixture.save(fixture.record("ada").applying(.failed(refusal)), "ada")
        #expect(try await fixture.pool.state(for: "ada").authorizationError == refusal)
        #expect(await authError { try await fixture.pool.freshTokens(for: "ada") } == refusal)
    }

    @Test func `each state gets the credential of its key, which no archive holds`() async throws {
        for key in ["ada", "bob"] as [AuthStateKey] { try await fixture.logIn(key) }
        let pool = AuthStatePool(store: fixture.store, service: fixture.service) { key in
            key == "ada" ? .secret("SECRET") : nil
        }
        #expect(try await pool.state(for: "ada").record.client.credential == .secret("SECRET"))
        #expect(try await pool.state(for: "bob").record.client.credential == .none)
        let one = AuthStatePool(store: fixture.store, service: fixture.service, credential: .secret("SECRET"))
        #expect(try await one.state(for: "bob").record.client.credential == .secret("SECRET"))
    }

    @Test("states of one provider share its configuration, also after another process has written one of them")
    func sharedConfigurations() async throws {
        let (pool, store) = (fixture.pool, fixture.store)
        for key in ["ada", "bob"] as [AuthStateKey] { try await fixture.logIn(key) }
        let (ada, bob) = (try await pool.state(for: "ada"), try await pool.state(for: "bob"))
        #expect(ada.record.clientBox === bob.record.clientBox)
        let elsewhere = try await AuthState.restore(at: AuthState.Place(store, key: "ada", service: fixture.service))
        _ = try await elsewhere.refresh()
        try await ada.catchUp()
        #expect(ada.record.accessToken == "ada-1")
        #expect(ada.record.clientBox === bob.record.clientBox)
        #expect(try await pool.insert(fixture.newLogin("new")).record.clientBox === bob.record.clientBox)
        // A configuration of its own is not taken for another one.
        var record = try fixture.record("eve")
        record.client.provider.tolerances = [.missingTokenType]
        try await fixture.save(record, "eve")
        #expect(try await pool.state(for: "eve").record.client.provider == record.client.provider)
    }
}
