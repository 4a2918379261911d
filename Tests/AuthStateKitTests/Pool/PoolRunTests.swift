import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

struct PoolRunTests {
    private func fixture(
        _ users: Int, lifetime: Double = 3600, _ change: (inout AuthStatePool.Options) -> Void = { _ in }
    ) async throws -> (PoolFixture, [AuthStateKey]) {
        let fixture = PoolFixture(lifetime: lifetime, change)
        let keys = (0..<users).map { AuthStateKey(rawValue: "user-\($0)") }
        for key in keys {
            try await fixture.logIn(key, lifetime: lifetime)
            _ = try await fixture.pool.state(for: key)
        }
        return (fixture, keys)
    }

    @Test func `tokens of one moment are renewed over minutes, ahead of their end, each once`() async throws {
        // Fresh for 3,540 s: renewed in the last 354 of them.
        let (fixture, keys) = try await fixture(300) { $0.idleTime = .seconds(100_000) }
        try await fixture.running {
            try await fixture.tick(after: .seconds(3180))
            #expect(fixture.provider.spent.isEmpty)
            var most = 0
            for _ in 0..<36 {
                let before = fixture.provider.spent.count
                try await fixture.tick(10)
                most = max(most, fixture.provider.spent.count - before)
            }
            #expect(most < 30)
            #expect(fixture.provider.spent.sorted() == keys.map { "\($0)-r0" }.sorted())
        }
        #expect(keys.allSatisfy { fixture.pool.loadedState(for: $0)?.tokensIfFresh()?.accessToken == "\($0)-1" })
        #expect(fixture.pool.statistics.renewalsAhead == 300)
    }

    @Test func `no more renewals run at once than allowed, and all are made`() async throws {
        let (fixture, keys) = try await fixture(50) {
            $0.concurrentRenewals = 3
            $0.renewalSpread = 0
        }
        let gate = ScriptedTransport.Gate()
        fixture.provider.hold(at: gate)
        try await fixture.running {
            await fixture.clock.sleepers(1)
            fixture.clock.advance(by: .seconds(3545))
            await gate.arrivals(3)
            gate.open()
            try await eventually { fixture.pool.statistics.renewalsAhead == keys.count }
        }
        #expect(fixture.provider.mostActive <= 3)
    }

    @Test func `a state in error and one without a refresh token are left alone`() async throws {
        let (fixture, _) = try await fixture(1)
        fixture.provider.become(.refusing("invalid_grant"))
        try await fixture.running {
            try await fixture.tick(after: .seconds(3545))
            #expect(fixture.provider.spent.count == 1)
            #expect(fixture.pool.loadedState(for: "user-0")?.authorizationError?.code == .invalidGrant)
            try await fixture.tick(10, after: .seconds(60))
        }
        #expect(fixture.provider.spent.count == 1)
    }

    @Test func `tokens that another server has renewed are adopted, without a request`() async throws {
        let (fixture, keys) = try await fixture(1)
        try await fixture.running {
            try await fixture.tick(after: .seconds(3100))
            let elsewhere = try await AuthState.restore(
                at: AuthState.Place(fixture.store, key: keys[0], service: fixture.service))
            _ = try await elsewhere.refresh()
            try await fixture.tick(8, after: .seconds(60))
            #expect(fixture.provider.spent == ["user-0-r0"])
            #expect(fixture.pool.loadedState(for: keys[0])?.record.accessToken == "user-0-1")
        }
    }

    @Test func `unused states are released, not renewed for ever`() async throws {
        let (fixture, _) = try await fixture(20) { $0.idleTime = .seconds(10) }
        try await fixture.running {
            try await fixture.tick(12)
            try await fixture.tick(10, after: .seconds(600))
        }
        #expect(fixture.provider.spent.isEmpty && fixture.pool.statistics.loaded == 0)
        // A state that is needed again is loaded, and renewed when it is used.
        #expect(try await fixture.pool.freshTokens(for: "user-3").accessToken == "user-3-1")
    }

    @Test func `an unavailable provider is asked now and then, not for every state`() async throws {
        let (fixture, keys) = try await fixture(500) {
            $0.renewalSpread = 0
            $0.idleTime = .seconds(100_000)
        }
        fixture.provider.become(.away)
        try await fixture.running {
            try await fixture.tick(after: .seconds(3541))
            // Ten minutes without a provider: some attempts a pause, at most as many as there are workers.
            try await fixture.tick(600)
            #expect(fixture.provider.spent.count < 100)
            #expect(fixture.provider.spent.count > 5)
            fixture.provider.become(.well)
            try await fixture.tick(500)
            #expect(fixture.pool.statistics.renewalsAhead == keys.count)
        }
        #expect(keys.allSatisfy { fixture.pool.loadedState(for: $0)?.tokensIfFresh() != nil })
    }

    @Test func `a provider that asks for a pause gets it, for all states`() async throws {
        let (fixture, keys) = try await fixture(50) {
            $0.renewalSpread = 0
            $0.concurrentRenewals = 2
        }
        fixture.provider.become(.busy(retryAfter: 120))
        try await fixture.running {
            try await fixture.tick(after: .seconds(3541))
            let asked = fixture.provider.spent.count
            #expect(asked <= 2)
            fixture.provider.become(.well)
            try await fixture.tick(118)
            #expect(fixture.provider.spent.count == asked)
            try await fixture.tick(120)
            #expect(fixture.pool.statistics.renewalsAhead == keys.count)
        }
    }

    @Test func `run() ends with its task, after the renewals in progress`() async throws {
        let (fixture, _) = try await fixture(1) { $0.renewalSpread = 0 }
        let pool = fixture.pool
        let gate = ScriptedTransport.Gate()
        fixture.provider.hold(at: gate)
        let service = Task { await pool.run() }
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(3545))
        await gate.arrivals()
        service.cancel()
        // The renewal's own deadline and the one of draining: run() waits.
        await fixture.clock.sleepers(2)
        gate.open()
        try await bounded { await service.value }
        #expect(try await fixture.store.record("user-0")?.refreshToken == "user-0-r1")
    }

    @Test func `run() ends at its deadline although a renewal does not`() async throws {
        let (fixture, _) = try await fixture(1) {
            $0.renewalSpread = 0
            $0.drainDeadline = .seconds(5)
        }
        let pool = fixture.pool
        let gate = ScriptedTransport.Gate()
        fixture.provider.hold(at: gate)
        let service = Task { await pool.run() }
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(3545))
        await gate.arrivals()
        service.cancel()
        await fixture.clock.sleepers(2)
        fixture.clock.advance(by: .seconds(5))
        try await bounded { await service.value }
        gate.open()
    }

    @Test func `run() can be called again`() async throws {
        let (fixture, _) = try await fixture(5)
        for _ in 0..<3 { try await fixture.running { try await fixture.tick(3) } }
        try await fixture.running {
            try await fixture.tick(after: .seconds(3545))
            #expect(fixture.provider.spent.count == 5)
        }
    }

    @Test func `a renewal that does not end keeps no other state from its last save`() async throws {
        let (fixture, keys) = try await fixture(6)
        fixture.store.setReadOnly(true)
        var unsaved: [AuthState] = []
        for key in keys.dropFirst() {
            let state = try await fixture.pool.state(for: key)
            _ = try await state.refresh()
            unsaved.append(state)
        }
        fixture.store.setReadOnly(false)
        let gate = ScriptedTransport.Gate()
        fixture.provider.hold(at: gate)
        let renewal = Task { try await fixture.pool.state(for: keys[0]).refresh() }
        await gate.arrivals()
        let drain = Task { await fixture.pool.drain() }
        try await eventually { unsaved.allSatisfy(\.hasNoStoreError) }
        gate.open()
        _ = try await renewal.value
        await drain.value
    }

    @Test func `draining saves all states, and holds at most 64 leases at once`() async throws {
        let (fixture, keys) = try await fixture(500)
        fixture.store.setReadOnly(true)
        for key in keys { _ = try await fixture.pool.state(for: key).refresh() }
        fixture.store.setReadOnly(false)
        let gate = ScriptedTransport.Gate()
        fixture.store.holdSaves(at: gate)
        let drain = Task { await fixture.pool.drain() }
        try await bounded { await gate.arrivals(64) }
        gate.open()
        await drain.value
        #expect(fixture.store.mostLeases == 64)
        for key in keys { #expect(try await fixture.store.record(key)?.refreshToken == "\(key)-r1") }
    }

    @Test func `draining saves unsaved changes, also of states that no caller holds`() async throws {
        let (fixture, keys) = try await fixture(1)
        fixture.store.setReadOnly(true)
        _ = try await fixture.pool.state(for: keys[0]).refresh()
        fixture.store.setReadOnly(false)
        await fixture.pool.drain()
        #expect(try await fixture.store.record(keys[0])?.refreshToken == "user-0-r1")
    }
}
