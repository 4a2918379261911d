import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Providers' public keys in memory, by issuer and `jwks_uri`, for as long as the provider says.
struct KeyCache: Sendable {
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

    /// How long keys are used when the provider says nothing, in seconds.
    static let defaultLifetime: Double = 600
    /// How long keys are used at most, in seconds.
    static let longestLifetime: Double = 86400

    private let answers = AnswerCache<Source, JSONWebKeySet>()

    /// The keys, fetched when there are none or they are old.
    ///
    /// - Parameter stale: Keys that did not verify a token: fetch others, if the budget allows.
    /// - Throws: What the fetch throws; `AuthStateError` with `.temporarilyUnavailable` when the budget is spent.
    func keys(
        of source: Source, insteadOf stale: JSONWebKeySet? = nil, now: Double, stage: AuthStateError.Stage,
        fetch: @escaping @Sendable () async throws -> Answer
    ) async throws -> JSONWebKeySet {
        do {
            return try await answers.value(of: source, insteadOf: stale, now: now) {
                let answer = try await fetch()
                let lifetime = min(answer.lifetime ?? Self.defaultLifetime, Self.longestLifetime)
                return AnswerCache.Answer(value: answer.keys, lifetime: lifetime)
            }
        } catch is RefetchBudget.Spent {
            throw AuthStateError(
                .temporarilyUnavailable, stage: stage,
                "No key of the provider fits the signature, and its keys were fetched too often.",
                hint: "Try again in a minute.")
        }
    }
}
