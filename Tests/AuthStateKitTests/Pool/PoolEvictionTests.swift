import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

struct PoolEvictionTests {
    private let keys: [AuthStateKey] = (0..<20).map { AuthStateKey(rawValue: "user-\($0)") }

    @Test("no more states than the capacity stay in memory, and an evicted state is loaded again as it was")
    func capacity() async throws {
        let fixture = PoolFixture { $0.capacity = 5 }
        for key in keys {
            try await fixture.logIn(key)
            #expect(try await fixture.pool.freshTokens(for: key).accessToken == "\(key)-0")
        }
        #expect(fixture.pool.statistics.loaded <= 6)
        for key in keys { #expect(try await fixture.pool.freshTokens(for: key).accessToken == "\(key)-0") }
        #expect(fixture.pool.statistics.evictions >= 30)
    }

    @Test func `two busy states fit where there is room for one, and neither is loaded twice`() async throws {
        let fixture = PoolFixture { $0.capacity = 1 }
        let pool = fixture.pool
        for key in keys.prefix(2) { try await fixture.logIn(key) }
        fixture.clock.advance(by: .seconds(4000))
        let gate = ScriptedTransport.Gate()
        fixture.provider.hold(at: gate)
        let callers = keys.prefix(2).map { key in Task { try await pool.freshTokens(for: key).accessToken } }
        await gate.arrivals(2)
        // The callers give up, so that only the renewals hold the states.
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        try await fixture.logIn("other")
        _ = try await pool.state(for: "other")
        #expect(pool.statistics.loaded >= 2)
        gate.open()
        for key in keys.prefix(2) { #expect(try await pool.freshTokens(for: key).accessToken == "\(key)-1") }
        #expect(keys.prefix(2).allSatisfy { fixture.store.loads($0) == 1 })
        #expect(fixture.provider.spent.sorted() == ["user-0-r0", "user-1-r0"])
    }

    @Test func `a state that could not be saved stays until it is`() async throws {
        let fixture = PoolFixture { $0.capacity = 1 }
        let pool = fixture.pool
        for key in keys.prefix(5) { try await fixture.logIn(key) }
        fixture.clock.advance(by: .seconds(4000))
        fixture.store.setReadOnly(true)
        #expect(try await pool.freshTokens(for: keys[0]).accessToken == "user-0-1")
        for key in keys[1..<5] { _ = try await pool.state(for: key) }
        #expect(pool.loadedState(for: keys[0])?.record.refreshToken == "user-0-r1")
        fixture.store.setReadOnly(false)
        try await fixture.running { try await eventually { pool.loadedState(for: keys[0])?.hasNoStoreError == true } }
        #expect(try await fixture.store.record(keys[0])?.refreshToken == "user-0-r1")
    }

    @Test func `a state with a listener to its changes stays`() async throws {
        let fixture = PoolFixture { $0.capacity = 1 }
        for key in keys.prefix(5) { try await fixture.logIn(key) }
        var stream: AsyncStream<AuthState.Status>? = try await fixture.pool.state(for: keys[0]).stateChanges
        for key in keys[1..<5] { _ = try await fixture.pool.state(for: key) }
        #expect(fixture.pool.loadedState(for: keys[0]) != nil)
        #expect(stream != nil)
        stream = nil
        for key in keys[1..<5] { _ = try await fixture.pool.state(for: key) }
        #expect(fixture.pool.loadedState(for: keys[0]) == nil)
    }

    @Test func `idle states leave, held ones stay`() async throws {
        let fixture = PoolFixture { $0.idleTime = .seconds(30) }
        let pool = fixture.pool
        for key in keys {
            try await fixture.logIn(key)
            _ = try await pool.state(for: key)
        }
        let held = try await pool.state(for: keys[3])
        try await fixture.running {
            try await fixture.tick(20)
            _ = pool.loadedState(for: keys[5])
            try await fixture.tick(15)
            #expect(pool.statistics.loaded == 2)
            try await fixture.tick(20)
            #expect(pool.statistics.loaded == 1)
        }
        #expect(pool.loadedState(for: keys[3]) === held)
        #expect(pool.statistics.evictions == 19)
    }
}
