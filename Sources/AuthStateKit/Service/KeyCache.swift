import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// Providers' public keys in memory, by issuer and `jwks_uri`, for as long as the provider says.
struct KeyCache: Sendable {
    /// The issuer that the keys belong to, and their URL.
    struct Source: Hashable, Sendable {
        var issuer: Issuer?
        var url: URL
    }

    struct Answer: Sendable {
        var keys: JSONWebKeySet
        /// The seconds that the provider lets the keys be kept; nil when it does not say.
        var lifetime: Double?
    }

    /// The lifetime of keys in seconds when the provider gives none.
    static let defaultLifetime: Double = 600
    /// The maximum lifetime of keys in seconds.
    static let longestLifetime: Double = 86400

    private let answers = AnswerCache<Source, JSONWebKeySet>()

    /// Returns the keys, fetched when none are cached or they have expired.
    ///
    /// - Parameter stale: Keys that did not verify a token: fetch others, if the budget allows.
    /// - Throws: The fetch's error; `AuthStateError` with `.temporarilyUnavailable` when the budget is spent.
    func keys(
        of source: Source, insteadOf stale: JSONWebKeySet? = nil, now: Double, stage: AuthStateError.Stage,
        fetch: @escaping @Sendable () async throws -> Answer
    ) async throws -> JSONWebKeySet {
        do {
            let sender = RefetchBudget.Sender(stage)
            return try await answers.value(of: source, insteadOf: stale, from: sender, now: now) {
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

extension RefetchBudget.Sender {
    /// The sender of the tokens that a stage verifies.
    fileprivate init(_ stage: AuthStateError.Stage) {
        switch stage {
        case .logout: self = .stranger
        case .authorization: self = .browser
        default: self = .provider
        }
    }
}
