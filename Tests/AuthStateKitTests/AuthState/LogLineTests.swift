import AuthStateFoundation
import AuthStateKit
import AuthStateServer
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct LogLineTests {
    @Test("a status, without a token")
    func status() async throws {
        let clock = ManualClock()
        let state = await AuthState.signedIn("SECRET", refreshToken: nil, clock: clock)
        let line = "\(state.status)"
        #expect(
            line
                == "authorized, scope openid profile, until \(clock.date.addingTimeInterval(3600)), cannot be renewed, revision 1"
        )
        #expect(
            String(reflecting: state.status) == line && "\(AuthStateEvent.changed(state.status))" == "changed: \(line)")
        try await state.clear()
        #expect("\(state.status)" == "not authorized, revision 2")
    }

    @Test func `events, stages, codes and failures by their names`() {
        let error = AuthStateError(.invalidGrant, stage: .refresh, "The grant has ended.")
        #expect("\(error.code) \(error.stage)" == "invalidGrant refresh")
        #expect("\([error.code])" == "[invalidGrant]")
        #expect("\(RecognizedFailure.Name.wrongSecret)" == "wrongSecret")
        let events: [AuthStateEvent] = [
            .tokensRequested(joined: true), .renewalStarted, .renewed, .scopeWidened([.openID]), .adopted,
        ]
        #expect(
            events.map { "\($0)" } == [
                "tokens requested, joining a renewal in progress", "renewal started", "renewed",
                "scope widened: openid",
                "adopted what another process stored",
            ])
        #expect("\(AuthStateEvent.renewalFailed(error))" == "renewal failed: \(error)")
    }

    @Test("a counter counts renewals, their failures and waiting callers, of several states in one line")
    func counter() async throws {
        let counter = AuthStateCounter()
        for reply in [Fixture.tokens(1), Fixture.error("server_error", status: 500)] {
            var fixture = try Fixture([reply], lifetime: 1)
            fixture.options.observer = counter
            fixture.clock.advance(by: .seconds(2))
            _ = try? await fixture.state().freshTokens()
        }
        #expect(counter.counts.renewals == 1 && counter.counts.failedRenewals == 1)
        #expect(counter.counts.waits == 2 && counter.counts.denials == 1)
        #expect(
            "\(counter.counts)"
                == "1 renewals, 1 failed; 2 callers waited, 1 denied; 0 changes adopted; 0 store failures")
    }

    @Test func `a code is a pattern to catch by`() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch AuthStateError.Code.notLoggedIn {
                return "code"
            } catch {
                return "other"
            }
        }
        #expect(caught(AuthStateError(.notLoggedIn, stage: .store, "No user.")) == "code")
        #expect(caught(AuthStateError(.invalidGrant, stage: .refresh, "Ended.")) == "other")
        #expect(caught(CancellationError()) == "other")
    }
}
