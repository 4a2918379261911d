import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Providers' public keys in memory, by jwks_uri; concurrent callers share one fetch.
actor KeyCache {
    private struct Entry {
        var keys: JSONWebKeySet
        var fetchedAt: Double
        var budget = RefetchBudget()
    }

    private var entries: [URL: Entry] = [:]
    private var flights: [URL: SharedResult<JSONWebKeySet>] = [:]

    /// How long keys are used without asking again, in seconds.
    static let maximumAge: Double = 600

    /// The keys, fetched when there are none or they are old.
    ///
    /// - Parameter stale: Keys that did not verify a token: fetch others, if the budget allows.
    func keys(
        at url: URL, insteadOf stale: JSONWebKeySet? = nil, now: Double,
        fetch: @escaping @Sendable () async throws -> JSONWebKeySet
    ) async throws -> JSONWebKeySet {
        if let entry = entries[url], (0..<Self.maximumAge).contains(now - entry.fetchedAt) {
            guard let stale, stale == entry.keys else { return entry.keys }
            // Whoever comes while keys are fetched takes part in that, and costs nothing.
            if let flight = flights[url] { return try await flight.value() }
            guard entries[url]?.budget.spend(now) == true else {
                throw AuthStateError(
                    .temporarilyUnavailable, stage: .token, "The provider's keys were fetched too often.",
                    hint: "Try again in a minute.")
            }
        }
        if let flight = flights[url] { return try await flight.value() }
        let flight = SharedResult<JSONWebKeySet>()
        flights[url] = flight
        // A task of its own: a caller that is cancelled must not take the fetch away from the others.
        Task {
            do {
                let keys = try await fetch()
                if entries.count >= 256 { entries = [:] }
                entries[url] = Entry(keys: keys, fetchedAt: now, budget: entries[url]?.budget ?? RefetchBudget())
                flights[url] = nil
                flight.finish(.success(keys))
            } catch {
                flights[url] = nil
                flight.finish(.failure(error))
            }
        }
        return try await flight.value()
    }
}

/// How often keys may be fetched ahead of time: three at once, then one a minute.
struct RefetchBudget: Sendable {
    private var tokens: Double = 3
    private var filledAt: Double?

    mutating func spend(_ now: Double) -> Bool {
        if let filledAt { tokens = min(3, tokens + max(0, now - filledAt) / 60) }
        filledAt = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
