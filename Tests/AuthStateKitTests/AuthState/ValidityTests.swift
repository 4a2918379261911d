import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateSystem

struct ValidityTests {
    @Test func `tokens that last long enough are returned without a request, others are renewed`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(600))
        #expect(try await state.freshTokens(validFor: .seconds(3000)).accessToken == "SECRET-access-0")
        #expect(fixture.transport.requests.isEmpty)
        #expect(try await state.freshTokens(validFor: .seconds(3001)).accessToken == "SECRET-access-1")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("tokens are fresh, however little validity is asked for", arguments: [0.0, 10, -5])
    func freshBesides(_ seconds: Double) async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(3545))
        #expect(try await state.freshTokens(validFor: .seconds(seconds)).accessToken == "SECRET-access-1")
    }

    @Test func `a body runs with tokens that last long enough, and with others when they are refused`() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(600))
        let seen = Lock<[String]>([])
        try await state.withFreshToken(validFor: .seconds(3300)) { tokens in
            seen.withLock { $0.append(tokens.accessToken) }
            if tokens.accessToken == "SECRET-access-1" { throw TokenRejected(challenges: []) }
        }
        #expect(seen.withLock { $0 } == ["SECRET-access-1", "SECRET-access-2"])
    }

    @Test("a provider whose tokens never last that long is asked once, then when its tokens are no longer new")
    func shortLifetimes() async throws {
        let fixture = try Fixture(then: Fixture.tokens(1, expiresIn: 300))
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(3300))
        let tokens = try await state.freshTokens(validFor: .seconds(600))
        #expect(tokens.lifetime == .seconds(300))
        #expect(tokens.accessTokenExpirationDate == fixture.clock.date.addingTimeInterval(300))
        fixture.clock.advance(by: .seconds(29))
        // Another process knows from the archive when the tokens were issued, and for how long.
        let other = try await AuthState.restore(at: fixture.place(store), credential: ClientCredential.none)
        for state in [state, other] { _ = try await state.freshTokens(validFor: .seconds(600)) }
        #expect(fixture.transport.requests.count == 1)
        fixture.clock.advance(by: .seconds(2))
        for state in [state, other] { _ = try await state.freshTokens(validFor: .seconds(600)) }
        #expect(fixture.transport.requests.count == 2)
    }

    @Test("another process's renewal is adopted when its token lasts long enough")
    func adopted() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let store = InMemoryAuthStateStore()
        let (here, there) = (fixture.state(store: store), fixture.state(store: store))
        fixture.clock.advance(by: .seconds(600))
        for state in [there, here] {
            #expect(try await state.freshTokens(validFor: .seconds(3500)).accessToken == "SECRET-access-1")
        }
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `callers who want less join the renewal in progress`() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(3560))
        let most = Task { try await state.freshTokens(validFor: .seconds(3000)).accessToken }
        await gate.arrivals()
        let others = [0.0, 60, 3000].map { seconds in
            Task { try await state.freshTokens(validFor: .seconds(seconds)).accessToken }
        }
        let plain = Task { try await state.freshTokens().accessToken }
        try await waiters(of: state, 5)
        gate.open()
        for task in others + [most, plain] { #expect(try await bounded { try await task.value } == "SECRET-access-1") }
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("a caller who wants more than the renewal in progress gives waits for it, then renews once more")
    func wantsMore() async throws {
        let gate = ScriptedTransport.Gate()
        var fixture = try Fixture([.gated(gate, then: Fixture.tokens(1)), Fixture.tokens(2)])
        fixture.options.renewalDeadline = .seconds(2000)
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let first = Task { try await state.freshTokens().accessToken }
        await gate.arrivals()
        // The renewal takes so long that its token, whose time counts from the request, is too short for the second caller.
        fixture.clock.advance(by: .seconds(1000))
        let second = Task { try await state.freshTokens(validFor: .seconds(3000)).accessToken }
        try await waiters(of: state, 2)
        gate.open()
        #expect(try await bounded { try await first.value } == "SECRET-access-1")
        #expect(try await bounded { try await second.value } == "SECRET-access-2")
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-1"])
    }

    @Test("without a provider, a token that lasts long enough although it is not fresh is used; a shorter one is not")
    func unreachable() async throws {
        let fixture = try Fixture(then: Fixture.error("temporarily_unavailable", status: 503))
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(3550))
        #expect(try await state.freshTokens(validFor: .seconds(40)).accessToken == "SECRET-access-0")
        #expect(await authError { try await state.freshTokens(validFor: .seconds(300)) }?.kind == .transient)
        #expect(try await state.freshTokens().accessToken == "SECRET-access-0")
    }

    @Test func `without a refresh token, the error says for how long the token is valid`() async throws {
        let fixture = try Fixture(refreshToken: nil)
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(3000))
        let error = await authError { try await state.freshTokens(validFor: .seconds(900)) }
        #expect(error?.code == .noRefreshToken)
        #expect(error?.expected == "valid for 900 seconds" && error?.received == "valid for 600 seconds")
    }

    @Test("a refused caller gets the newer tokens when a shared renewal fails that another caller wanted")
    func newerTokens() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try Fixture([.gated(gate, then: Fixture.error("invalid_client", status: 401))])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(600))
        let most = Task { await authError { try await state.freshTokens(validFor: .seconds(3500)) } }
        await gate.arrivals()
        let other = Task { try await state.tokens(.none, reason: .rejected("SECRET-older")).accessToken }
        try await waiters(of: state, 2)
        gate.open()
        #expect(try await bounded { await most.value }?.code == .invalidClient)
        #expect(try await bounded { try await other.value } == "SECRET-access-0")
    }
}

/// Waits until so many callers wait for renewals of a state.
private func waiters(of state: AuthState, _ count: Int) async throws {
    try await bounded {
        while await state.waitersOfFlights < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

extension AuthState {
    /// The number of callers that wait for renewals.
    fileprivate var waitersOfFlights: Int { flights.values.reduce(0) { $0 + $1.result.waiterCount } }
}
