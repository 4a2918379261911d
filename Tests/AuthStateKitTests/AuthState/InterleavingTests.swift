import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

/// Two states on one store, as two processes would have them, and what happens in between.
struct InterleavingTests {
    /// Starts work that waits for the lease while another process holds it and saves a change.
    private func whileLeased<R: Sendable>(
        _ store: InMemoryAuthStateStore, saving change: @escaping @Sendable (AuthState.Record) -> AuthState.Record,
        _ work: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        let holding = ScriptedTransport.Gate()
        let other = Task {
            try await store.withLease(.default, deadline: .seconds(10)) { lease in
                try await holding.pass()
                let stored = try await lease.load()
                let record = try AuthStateArchive(data: try #require(stored).archive).record
                _ = try await lease.save(AuthStateArchive(change(record)).data(), expecting: stored?.version)
            }
        }
        await holding.arrivals()
        let result = Task { try await work() }
        try await eventually { store.waiterCount(.default) > 0 }
        holding.open()
        try await other.value
        return try await bounded { try await result.value }
    }

    @Test("a logout stands although a waiting renewal adopts what another process has just renewed")
    func logoutBesideAdoption() async throws {
        let fixture = try Fixture([], then: Fixture.tokens(9))
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        let theirs = fixture.login("theirs")
        let denied = try await whileLeased(store, saving: { $0.applying(.renewed(theirs)) }) {
            let caller = Task { await authError { try await state.freshTokens() } }
            try await eventually { store.waiterCount(.default) > 0 }
            try await state.clear()
            #expect(!state.isAuthorized)
            return await caller.value
        }
        #expect(denied?.kind == .reauthenticationRequired)
        #expect(!state.isAuthorized && state.tokensIfFresh() == nil)
        #expect(try await store.login() == nil)
    }

    @Test func `a refusal of a token here does not spoil the login that another process has just made`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        _ = try await state.refresh()
        let theirs = fixture.login("theirs")
        let error = try await whileLeased(store, saving: { $0.applying(.loggedIn(nil, theirs)) }) {
            await authError {
                try await state.withFreshToken(policy: .fail) { _ in throw TokenRejected(challenges: ["Bearer"]) }
            }
        }
        #expect(error?.code == .tokenRejected)
        #expect(state.isAuthorized)
        #expect(state.record.accessToken == "SECRET-theirs")
        let stored = try #require(try await store.load(.default))
        #expect(try AuthStateArchive(data: stored.archive).record.authorizationError == nil)
    }

    @Test func `an unsaved renewal of an old grant is not replayed on a new login`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let store = FaultyStore()
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        store.fail(.save)
        _ = try await state.freshTokens()
        store.fail()
        let login = fixture.login("theirs")
        let other = try await AuthState.restore(at: fixture.place(store))
        try await other.update(with: login)
        try await state.setNeedsTokenRefresh()
        #expect(state.record.refreshToken == "SECRET-theirs-refresh")
    }

    @Test func `tokens with parameters do not outlive the grant, wherever it ended`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)], then: Fixture.tokens(5))
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        let parameters = RenewalParameters(additionalParameters: ["audience": "x"])
        #expect(try await state.freshTokens(parameters).accessToken == "SECRET-access-1")
        let other = try await AuthState.restore(at: fixture.place(store))
        try await other.update(with: fixture.login("bob"))
        try await state.setNeedsTokenRefresh()
        #expect(try await state.freshTokens(parameters).accessToken == "SECRET-access-5")
    }

    @Test func `a caller that is refused after another caller's renewal gets the newer tokens`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state()
        let gate = ScriptedTransport.Gate()
        let late = Task {
            try await state.withFreshToken { tokens in
                if tokens.accessToken == "SECRET-access-0" {
                    try await gate.pass()
                    throw TokenRejected(challenges: ["Bearer"])
                }
                return tokens.accessToken
            }
        }
        await gate.arrivals()
        let first = try await state.withFreshToken { tokens in
            if tokens.accessToken == "SECRET-access-0" { throw TokenRejected(challenges: ["Bearer"]) }
            return tokens.accessToken
        }
        gate.open()
        #expect(first == "SECRET-access-1")
        #expect(try await bounded { try await late.value } == "SECRET-access-1")
        #expect(fixture.transport.requests.count == 1)
        #expect(state.isAuthorized)
    }

    @Test func `a refused caller who joins a renewal that fails gets its error, and the state stays`() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try Fixture([.gated(gate, then: .json("", status: 500))])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(3570))
        let stale = Task { try await state.freshTokens().accessToken }
        await gate.arrivals()
        let refused = Task { await authError { try await state.tokens(.none, reason: .rejected("SECRET-access-0")) } }
        let explicit = Task { await authError { try await state.refresh() } }
        try await bounded { while await state.flights.isEmpty { await Task.yield() } }
        gate.open()
        #expect(try await bounded { try await stale.value } == "SECRET-access-0")
        #expect(try await bounded { await refused.value }?.kind == .transient)
        #expect(try await bounded { await explicit.value }?.kind == .transient)
        #expect(state.isAuthorized)
    }

    @Test func `run() does not hammer a provider that fails while the old token is alive`() async throws {
        let fixture = try Fixture([], then: .json("", status: 500))
        let (state, clock) = (fixture.state(), fixture.clock)
        clock.advance(by: .seconds(3550))
        let service = Task { await state.run() }
        try await eventually { fixture.transport.requests.count == 1 }
        let asked = clock.now
        // In steps: the time limit of a look at the store sleeps on this clock too, and for less than the pause.
        try await eventually {
            if fixture.transport.requests.count < 2 { clock.advance(by: .milliseconds(50)) }
            return fixture.transport.requests.count == 2
        }
        #expect(asked.duration(to: clock.now) >= .seconds(5))
        service.cancel()
        try await bounded { await service.value }
    }

    @Test func `Retry-After is remembered between callers`() async throws {
        let busy = TransportResponse(status: 429, headers: ["Retry-After": "40"])
        let fixture = try Fixture([.response(busy), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.retryAfter == .seconds(40))
        #expect(await authError { try await state.freshTokens() }?.code == .temporarilyUnavailable)
        #expect(fixture.transport.requests.count == 1)
        fixture.clock.advance(by: .seconds(40))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test func `an ID token that cannot be verified is not kept`() async throws {
        let fixture = try Fixture([
            .json(#"{"access_token":"SECRET-a","token_type":"Bearer","expires_in":60,"id_token":"e.e.e"}"#)
        ])
        #expect(try await fixture.state().refresh().idToken == nil)
    }
}
