#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When a pool renews: pure functions of what is known; times are in seconds.
struct RenewalPlan: Sendable {
    /// A state is looked at this often, because it can change without the pool's doing.
    static let longestWait = 60.0
    /// However long the tokens last, they are renewed no longer ahead than this.
    static let longestAhead = 600.0

    /// Which part of the time in which tokens are fresh the renewals are spread over, at its end.
    var spread: Double

    /// What is known of a state's tokens.
    struct Facts: Sendable {
        /// Until then nobody has to wait for a renewal.
        var freshUntil: Double
        /// When the tokens were asked for; nil without tokens.
        var issuedAt: Double?
        /// Whether there is something to renew with, and no error.
        var canRenew: Bool
        /// Whether the store has all that happened.
        var isSaved: Bool
    }

    /// When there is something to do for a state; not later than `now` when there is something at once.
    func nextLook(_ facts: Facts, jitter: Double, now: Double) -> Double {
        guard facts.isSaved else { return now }
        guard facts.canRenew else { return now + Self.longestWait }
        let fresh = max(0, facts.freshUntil - (facts.issuedAt ?? facts.freshUntil))
        let ahead = fresh.isFinite ? min(fresh * spread, Self.longestAhead) * jitter : 0
        return min(facts.freshUntil - ahead, now + Self.longestWait)
    }

    /// How long a state is left alone after failures, the last one included.
    ///
    /// - Parameter retryAfter: What the provider asked for.
    static func pause(after failures: Int, retryAfter: Double?, jitter: Double) -> Double {
        let pause = Double(min(5 << max(0, min(failures - 1, 7)), 300))
        return max(pause, min(retryAfter ?? 0, 3600)) * (1 + jitter / 2)
    }
}

/// Who is left alone because it does not answer: a provider that is away must not be asked for every state.
struct Cooldowns: Sendable {
    /// Whom many states depend on.
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

    /// The end of the pause; nil when there is none.
    func end(_ place: Place, now: Double) -> Double? {
        pauses[place].flatMap { now < $0.until ? $0.until : nil }
    }

    /// It answered.
    mutating func succeeded(_ place: Place) { pauses[place] = nil }

    /// It did not answer; attempts that were under way when the pause began count as one.
    mutating func failed(_ place: Place, began: Double, now: Double, retryAfter: Double?, jitter: Double) {
        let before = pauses[place]
        if let before, began < before.began, now < before.until { return }
        let failures = (before?.failures ?? 0) + 1
        let length = RenewalPlan.pause(after: failures, retryAfter: retryAfter, jitter: jitter)
        pauses[place] = Pause(began: now, until: now + length, failures: failures)
    }
}
