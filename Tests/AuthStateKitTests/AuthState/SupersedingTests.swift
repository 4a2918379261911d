import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateSystem

struct SupersedingTests {
    @Test func `a login during a renewal wins; the late result is dropped and never stored`() async throws {
        let gate = ScriptedTransport.Gate()
        var fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let log = EventLog()
        fixture.options.observer = log
        let store = InMemoryAuthStateStore()
        let (state, clock) = (fixture.state(store: store), fixture.clock)
        clock.advance(by: .seconds(4000))
        let caller = Task { try await state.freshTokens().accessToken }
        await gate.arrivals()
        let tokens = fixture.response("SECRET-login", refreshToken: "SECRET-new")
        let login = Task { try await state.update(with: tokens) }
        // The update counts before it is saved: wait until the actor has seen it.
        try await bounded { while await state.newest.grantEpoch < 2 { await Task.yield() } }
        gate.open()
        try await login.value
        #expect(try await bounded { try await caller.value } == "SECRET-login")
        #expect(state.record.refreshToken == "SECRET-new")
        #expect(try await store.record()?.refreshToken == "SECRET-new")
        #expect(log.events.contains(.lateResultDropped))
    }

    @Test func `a logout during a renewal wins, and its waiters get an error`() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(4000))
        let caller = Task { await authError { try await state.freshTokens() } }
        await gate.arrivals()
        let logout = Task { try await state.clear() }
        try await bounded { while await state.newest.grantEpoch < 2 { await Task.yield() } }
        gate.open()
        try await logout.value
        #expect(try await bounded { await caller.value }?.code == .notLoggedIn)
        #expect(!state.isAuthorized)
        #expect(try await store.login() == nil)
    }

    @Test func `tokens that come after a logout are revoked`() async throws {
        let gate = ScriptedTransport.Gate()
        var fixture = try Fixture([.gated(gate, then: Fixture.tokens(1)), .json("{}")])
        fixture.record.client.provider.revocationEndpoint = URL(string: "https://op.example/revoke")
        let (state, transport) = (fixture.state(), fixture.transport)
        fixture.clock.advance(by: .seconds(4000))
        let caller = Task { await authError { try await state.freshTokens() } }
        await gate.arrivals()
        let logout = Task { try await state.clear() }
        try await bounded { while await state.newest.grantEpoch < 2 { await Task.yield() } }
        gate.open()
        try await logout.value
        _ = await caller.value
        try await eventually { transport.requests.count == 2 }
        let last = try #require(transport.requests.last)
        #expect(last.url.path == "/revoke")
        #expect(last.body.map { String(decoding: $0, as: UTF8.self) }?.contains("token=SECRET-refresh-1") == true)
    }

    @Test func `drain() waits for a renewal that a logout overtook, also when another call came since`() async throws {
        let (answer, revocation) = (ScriptedTransport.Gate(), ScriptedTransport.Gate())
        var fixture = try Fixture([
            .gated(answer, then: Fixture.tokens(1)), .gated(revocation, then: .json("{}")),
        ])
        fixture.record.client.provider.revocationEndpoint = URL(string: "https://op.example/revoke")
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let caller = Task { await authError { try await state.freshTokens() } }
        await answer.arrivals()
        let overtaken = try #require(await state.flights.values.first)
        let logout = Task { await state.logOut(.local) }
        try await bounded { while await state.newest.grantEpoch < 2 { await Task.yield() } }
        let late = Task { await authError { try await state.freshTokens() } }
        try await bounded { while await state.flights.values.first === overtaken { await Task.yield() } }
        answer.open()
        await revocation.arrivals()
        #expect(try await bounded { await late.value }?.code == .notLoggedIn)
        let drained = SharedResult<Void>()
        let drain = Task {
            await state.drain()
            drained.finish(.success(()))
        }
        // The first caller and `drain()` wait until the late tokens are revoked.
        try await eventually { overtaken.result.waiterCount == 2 || drained.isFinished }
        #expect(!drained.isFinished)
        revocation.open()
        try await bounded { await drain.value }
        #expect(try await bounded { await caller.value }?.code == .notLoggedIn)
        _ = await logout.value
    }
}
