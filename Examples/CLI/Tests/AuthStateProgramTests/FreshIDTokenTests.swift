import AuthStateKit
import AuthStateTesting
import Testing

@testable import AuthStateProgram

struct FreshIDTokenTests {
    @Test("an ID token that is valid for less than the caller needs is renewed")
    func validity() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport([.tokens("second"), .offline])
        let state = await AuthState.signedIn(expiring: .seconds(600), clock: clock, transport: transport)
        #expect(state.idTokenLifetime == .seconds(600))
        clock.advance(by: .seconds(400))
        _ = try await state.freshToken(.id, for: "the test", validFor: .seconds(199))
        #expect(transport.requests.isEmpty)
        // The renewal brings no other ID token, and the one at hand has not expired.
        let kept = try await state.freshToken(.id, for: "the test", validFor: .seconds(201))
        #expect(transport.requests.count == 1 && kept.token == state.record.idToken)
        let error = await #expect(throws: AuthStateError.self) {
            _ = try await state.freshToken(.id, for: "the test", validFor: .seconds(201))
        }
        #expect(error?.kind == .transient && transport.requests.count == 2)
        // Without a validity the leeway of a minute decides.
        _ = try await state.freshToken(.id, for: "the test")
        #expect(transport.requests.count == 2)
    }
}
