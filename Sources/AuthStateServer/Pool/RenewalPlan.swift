import AuthStateFoundation
import AuthStateKit

/// The times at which a pool renews: pure functions of the given facts; times are in seconds.
struct RenewalPlan: Sendable {
    /// The longest time between two checks of a state, because it can change without the pool.
    static let longestWait = 60.0
    /// The longest time that tokens are renewed ahead of the end of their freshness, however long they last.
    static let longestAhead = 600.0
    /// The longest `Retry-After` that is heeded.
    private static let longestRetryAfter = 3600.0

    /// The part of the tokens' fresh time, at its end, over which the renewals are spread.
    var spread: Double

    /// Returns the time of the next check of a state; not later than `now` when there is work to do.
    func nextLook(_ facts: AuthState.RenewalFacts, jitter: Double, now: Double) -> Double {
        guard facts.isSaved else { return now }
        guard facts.canRenew else { return now + Self.longestWait }
        let fresh = max(0, facts.freshUntil - (facts.issuedAt ?? facts.freshUntil))
        let ahead = fresh.isFinite ? min(fresh * spread, Self.longestAhead) * jitter : 0
        return min(facts.freshUntil - ahead, now + Self.longestWait)
    }

    /// Returns the time for which a state is left alone after failures, the last one included.
    ///
    /// - Parameter retryAfter: The pause that the provider asked for.
    static func pause(after failures: Int, retryAfter: Double?, jitter: Double) -> Double {
        let pause = Double(min(5 << max(0, min(failures - 1, 7)), 300))
        return max(pause, min(retryAfter ?? 0, longestRetryAfter)) * (1 + jitter / 2)
    }
}

/// The pauses of dependencies that do not answer: a provider that is away must not be asked for every state.
struct Cooldowns: Sendable {
    /// A dependency that many states share.
    enum Place: Hashable, Sendable {
        /// The token endpoint of a provider.
        case provider(URL)
        /// The store.
        case store
    }

    private struct Pause {
        var began: Double
        var until: Double
        var failures: Int
    }

    private var pauses: [Place: Pause] = [:]

    /// Returns the end of the pause of a dependency; nil when there is none.
    func end(_ place: Place, now: Double) -> Double? {
        pause(of: place, now).flatMap { now < $0.until ? $0.until : nil }
    }

    /// The last pause; none where the clock has been set back since.
    private func pause(of place: Place, _ now: Double) -> Pause? {
        pauses[place].flatMap { $0.began <= now ? $0 : nil }
    }

    /// Records that a dependency answered.
    mutating func succeeded(_ place: Place) { pauses[place] = nil }

    /// Records that a dependency did not answer; attempts in progress when the pause began count as one.
    mutating func failed(_ place: Place, began: Double, now: Double, retryAfter: Double?, jitter: Double) {
        let before = pause(of: place, now)
        if let before, began < before.began, now < before.until { return }
        let failures = (before?.failures ?? 0) + 1
        let length = RenewalPlan.pause(after: failures, retryAfter: retryAfter, jitter: jitter)
        pauses[place] = Pause(began: now, until: now + length, failures: failures)
    }
}
