import AuthStateFoundation
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

struct RenewalPlanTests {
    private typealias Facts = AuthState.RenewalFacts
    private let plan = RenewalPlan(spread: 0.1)

    @Test func `renewals of tokens that were issued together are spread over the last tenth of their time`() {
        var perSecond: [Int: Int] = [:]
        for number in 0..<10_000 {
            let due = plan.nextLook(
                Facts(freshUntil: 3540, issuedAt: 0, canRenew: true, isSaved: true),
                jitter: Double(number) / 10_000, now: 3500)
            perSecond[Int(due.rounded(.down)), default: 0] += 1
        }
        #expect(perSecond.keys.min() == 3186 && perSecond.keys.max() == 3540)
        #expect(perSecond.values.max() ?? .max <= 30)
    }

    @Test(
        "the next look at a state follows from its tokens",
        arguments: [
            // Fresh for long: soon again, as it may change.
            (facts: (3600, 0, true, true), now: 100, jitter: 0.5, expected: 160),
            // Due within the minute.
            ((1000, 0, true, true), 930, 0.5, 950),
            ((1000, 0, true, true), 990, 0, 1000),
            // No longer fresh.
            ((1000, 0, true, true), 2000, 0, 1000),
            // However long they last, ten minutes ahead are enough.
            ((100_000, 0, true, true), 99_380, 1, 99_400),
            // Nothing to renew with, or in error.
            ((-.infinity, 0, false, true), 50, 0.5, 110),
            // No expiry.
            ((.infinity, 0, true, true), 50, 0.5, 110),
            // A refresh token alone.
            ((-.infinity, nil, true, true), 50, 0.5, -.infinity),
            // Not saved: something to do at once.
            ((3600, 0, true, false), 100, 0.5, 100),
        ] as [(facts: (Double, Double?, Bool, Bool), now: Double, jitter: Double, expected: Double)])
    func nextLook(
        _ line: (facts: (Double, Double?, Bool, Bool), now: Double, jitter: Double, expected: Double)
    ) {
        let facts = Facts(
            freshUntil: line.facts.0, issuedAt: line.facts.1, canRenew: line.facts.2, isSaved: line.facts.3)
        #expect(plan.nextLook(facts, jitter: line.jitter, now: line.now) == line.expected)
    }

    @Test func `pauses grow to five minutes, and are no shorter than what the provider asked for`() {
        func pause(_ failures: Int, _ retryAfter: Double? = nil) -> Double {
            RenewalPlan.pause(after: failures, retryAfter: retryAfter, jitter: 0)
        }
        #expect([1, 2, 3, 7, 100].map { pause($0) } == [5, 10, 20, 300, 300])
        #expect(pause(1, 40) == 40 && pause(4, 1) == 40)
        #expect(pause(1, 1e9) == 3600)
        #expect(RenewalPlan.pause(after: 1, retryAfter: nil, jitter: 1) == 7.5)
    }

    @Test func `a pause that began later than now has no effect: the clock was set back`() {
        var cooldowns = Cooldowns()
        cooldowns.failed(.store, began: 100, now: 100, retryAfter: 1000, jitter: 0)
        #expect(cooldowns.end(.store, now: 50) == nil)
        cooldowns.failed(.store, began: 50, now: 50, retryAfter: nil, jitter: 0)
        #expect(cooldowns.end(.store, now: 51) == 55)
    }

    @Test func `one outage counts once, however many attempts were in progress when it began`() throws {
        let place = Cooldowns.Place.provider(try #require(URL(string: "https://op.example/token")))
        var cooldowns = Cooldowns()
        cooldowns.failed(place, began: 0, now: 2, retryAfter: nil, jitter: 0)
        cooldowns.failed(place, began: 1, now: 3, retryAfter: nil, jitter: 0)
        #expect(cooldowns.end(place, now: 3) == 7)
        #expect(cooldowns.end(.store, now: 3) == nil)
        #expect(cooldowns.end(place, now: 7) == nil)
        cooldowns.failed(place, began: 8, now: 8, retryAfter: nil, jitter: 0)
        #expect(cooldowns.end(place, now: 9) == 18)
        cooldowns.succeeded(place)
        cooldowns.failed(place, began: 20, now: 20, retryAfter: 60, jitter: 0)
        #expect(cooldowns.end(place, now: 21) == 80)
    }
}
