import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateSystem

struct ManyCallersTests {
    /// A new seed each time, unless AUTHSTATE_SEED names one.
    private var seed: UInt64 {
        ProcessInfo.processInfo.environment["AUTHSTATE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
    }

    @Test(
        "9,999 of 10,000 callers are cancelled at random: the last gets its token from one renewal, and none waits on"
    )
    func cancelledAtRandom() async throws {
        let seed = seed
        print("ten thousand callers, AUTHSTATE_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let gate = ScriptedTransport.Gate()
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))

        let callers = (0..<10_000).map { _ in Task { try await state.withFreshToken { $0.accessToken } } }
        var victims = Array(0..<10_000)
        let survivor = victims.remove(at: .random(in: 0..<10_000, using: &random))
        victims.shuffle(using: &random)
        let cuts = [Int.random(in: 0...9_999, using: &random), .random(in: 0...9_999, using: &random)].sorted()

        // Some before they have begun, or while they begin; some while the provider is at work; the rest when it answers.
        for victim in victims[..<cuts[0]] { callers[victim].cancel() }
        await gate.arrivals()
        let flight = try #require(await state.flights.values.first)
        for victim in victims[cuts[0]..<cuts[1]] { callers[victim].cancel() }
        // The provider has not answered: a cancelled caller is free all the same. If not, the gate ends the test.
        let early = victims[..<cuts[1]].map { callers[$0] }
        let limit = Task {
            try await Task.sleep(for: .seconds(60))
            gate.open()
        }
        var bound = 0
        for caller in early {
            if case .failure(let error) = await caller.result, error is CancellationError { continue }
            bound += 1
        }
        #expect(bound == 0, "cancelled callers waited for the provider")
        limit.cancel()
        #expect(fixture.transport.requests.count == 1)
        gate.open()
        for victim in victims[cuts[1]...] { callers[victim].cancel() }

        let late = victims[cuts[1]...].map { callers[$0] }
        let served = try await bounded {
            var served = 0
            for caller in late {
                do { if try await caller.value == "SECRET-access-1" { served += 1 } } catch is CancellationError {}
            }
            return served
        }
        print("\(early.count) cancelled before the answer, \(late.count) beside it, \(served) of those served")
        #expect(try await bounded { try await callers[survivor].value } == "SECRET-access-1")
        #expect(fixture.transport.requests.count == 1)
        #expect(flight.result.waiterCount == 0)
        #expect(await state.flights.isEmpty)
    }
}
