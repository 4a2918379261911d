import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Providers' public keys in memory, by issuer and `jwks_uri`; concurrent callers share one fetch.
actor KeyCache {
    /// Whose keys, and where they are.
    struct Source: Hashable, Sendable {
        var issuer: Issuer?
        var url: URL
    }

    /// Keys as they were fetched.
    struct Answer: Sendable {
        var keys: JSONWebKeySet
        /// For how many seconds the provider says that they may be kept; nil when it does not.
        var lifetime: Double?
    }

    private struct Entry {
        var keys: JSONWebKeySet
        var fetchedAt: Double
        var lifetime: Double
        var budget: RefetchBudget
    }

    private var entries: [Source: Entry] = [:]
    private var flights: [Source: SharedResult<JSONWebKeySet>] = [:]

    /// How long keys are used when the provider says nothing, in seconds.
    static let defaultLifetime: Double = 600
    /// How long keys are used at most, in seconds.
    static let longestLifetime: Double = 86400

    /// The keys, fetched when there are none or they are old.
    ///
    /// - Parameter stale: Keys that did not verify a token: fetch others, if the budget allows.
    /// - Throws: What the fetch throws; `AuthStateError` with `.temporarilyUnavailable` when the budget is spent.
    func keys(
        of source: Source, insteadOf stale: JSONWebKeySet? = nil, now: Double, stage: AuthStateError.Stage,
        fetch: @escaping @Sendable () async throws -> Answer
    ) async throws -> JSONWebKeySet {
        if let entry = entries[source], (0..<entry.lifetime).contains(now - entry.fetchedAt) {
            guard let stale, stale == entry.keys else { return entry.keys }
            // Whoever comes while keys are fetched takes part in that, and costs nothing.
            if let flight = flights[source] { return try await flight.value() }
            guard entries[source]?.budget.spend(now) == true else {
                throw AuthStateError(
                    .temporarilyUnavailable, stage: stage,
                    "No key of the provider fits the ID token, and its keys were fetched too often.",
                    hint: "Try again in a minute.")
            }
        }
        if let flight = flights[source] { return try await flight.value() }
        let flight = SharedResult<JSONWebKeySet>()
        flights[source] = flight
        // A task of its own: a caller that is cancelled must not take the fetch away from the others.
        Task {
            let result: Result<Answer, any Error>
            do { result = .success(try await fetch()) } catch { result = .failure(error) }
            if case .success(let answer) = result { keep(answer, of: source, now: now) }
            flights[source] = nil
            flight.finish(result.map(\.keys))
        }
        return try await flight.value()
    }

    /// Keys that came again unchanged stay the same object, with what was imported for them.
    private func keep(_ answer: Answer, of source: Source, now: Double) {
        if entries.count >= 256 { entries = [:] }
        let before = entries[source]
        let keys = before.flatMap { $0.keys == answer.keys ? $0.keys : nil } ?? answer.keys
        let lifetime = min(answer.lifetime ?? Self.defaultLifetime, Self.longestLifetime)
        entries[source] = Entry(
            keys: keys, fetchedAt: now, lifetime: lifetime, budget: before?.budget ?? RefetchBudget())
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
