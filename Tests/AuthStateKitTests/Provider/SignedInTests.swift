import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import Testing

@testable import AuthStateTesting

@Suite(.timeLimit(.minutes(1))) struct SignedInTests {
    @Test func `a state that is signed in is fresh and has its user, and no request is sent`() async throws {
        let transport = ScriptedTransport()
        let state = await AuthState.signedIn("first", claims: ["name": "User \(1)"], transport: transport)
        #expect(try await state.freshTokens().accessToken == "first")
        #expect(state.user?.name == "User 1" && state.user?.subject == "user")
        #expect(state.isAuthorized && transport.requests.isEmpty)
    }

    @Test func `it is renewed when the clock moves, and the program can restore it`() async throws {
        let (clock, store) = (ManualClock(), InMemoryAuthStateStore())
        let transport = ScriptedTransport([.tokens("second", refreshToken: "next")])
        let state = await AuthState.signedIn(clock: clock, transport: transport, store: store, key: "tool")
        clock.advance(by: .seconds(3600))
        #expect(try await state.freshTokens().accessToken == "second")
        let place = AuthState.Place(store, key: "tool", service: state.service)
        #expect(try await AuthState.restore(at: place).record.refreshToken == "next")
    }

    @Test func `.invalidGrant ends the login, .offline fails as transient`() async throws {
        let transport = ScriptedTransport([.offline, .invalidGrant])
        let state = await AuthState.signedIn(transport: transport)
        #expect(await authError { try await state.refresh() }?.kind == .transient && state.isAuthorized)
        #expect(await authError { try await state.refresh() }?.code == .invalidGrant && !state.isAuthorized)
    }

    @Test func `a request without a reply in the script is named`() async throws {
        let state = await AuthState.signedIn()
        let error = await authError { try await state.refresh() }
        #expect(error?.message == "The script has no reply to POST https://provider.invalid/token.")
    }

    @Test("a clock that does not move reports a waiting task once")
    func clock() async throws {
        let (real, lines) = (ManualClock(), ScriptedLines())
        let clock = ManualClock(startingAt: Date(timeIntervalSince1970: 0), realClock: real) { lines.add($0) }
        let waiting = Task { try await clock.sleep(for: .milliseconds(500)) }
        await clock.sleepers()
        await real.sleepers()
        clock.advance(by: .milliseconds(100))
        real.advance(by: .seconds(10))
        await real.sleepers()
        clock.advance(by: .milliseconds(100))
        real.advance(by: .seconds(10))
        await real.sleepers()
        #expect(lines.all.isEmpty, "the clock has moved meanwhile")
        real.advance(by: .seconds(10))
        await lines.arrival()
        #expect(
            lines.all == [
                "ManualClock: nothing has moved this clock for ten seconds, and one task sleeps on it, the next for 0.3 seconds. "
                    + "A test moves it with advance(by:).\n"
            ])
        clock.advance(by: .seconds(1))
        try await waiting.value
    }
}

/// Lines that were written.
private final class ScriptedLines: Sendable {
    private let gate = ScriptedTransport.Gate()
    private let lines = Lock([String]())

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
        gate.open()
    }

    /// Waits for the first line.
    func arrival() async { try? await gate.pass() }
}
