package import AuthStateFoundation

/// The rule when to poll for the tokens of a login that a user confirms elsewhere, and when to give up (RFC 8628,
/// sections 3.3 and 3.5; OpenID Connect CIBA Core 1.0, sections 7.3 and 11).
///
/// A value without a clock: `wait(at:)` returns the pause before the next poll, `note(_:)` records an answer without
/// tokens.
package struct TokenPolling: Sendable, Hashable {
    /// The provider's interval between two polls; each `slow_down` adds 5 seconds.
    package private(set) var interval: Duration
    package let expiresAt: Date
    /// Polls in a row without an answer: each doubles the pause.
    private var unanswered = 0
    /// The failure of the last poll; nil when it was answered.
    private var lastFailure: AuthStateError?
    /// The pause that the last answer asked for (`Retry-After`).
    private var retryAfter = Duration.zero

    /// The longest pause after unanswered polls, unless the provider's own interval is longer.
    private static let longestBackoff = Duration.seconds(60)

    package init(interval: Duration = .seconds(5), expiresAt: Date) {
        self.interval = interval
        self.expiresAt = expiresAt
    }

    /// The pause before the next poll, regardless of the time left.
    package var pause: Duration {
        let doubled = interval * (1 << min(unanswered, 16))
        return max(min(doubled, max(interval, Self.longestBackoff)), retryAfter)
    }

    /// Returns the pause before the next poll; throws `AuthStateError` with `.deviceCodeExpired` as soon as no poll
    /// fits in before the expiry.
    package func wait(at now: Date) throws(AuthStateError) -> Duration {
        let (left, shortest) = (Duration(boundedSeconds: expiresAt.timeIntervalSince(now)), max(interval, retryAfter))
        guard shortest < left else { throw expired }
        // A provider that was away may be back: backing off does not skip the last poll.
        return min(pause, max(shortest, left - shortest))
    }

    /// The error when the login expires by this clock, before the provider says so.
    package var expired: AuthStateError {
        guard let lastFailure else {
            return AuthStateError(.deviceCodeExpired, stage: .token, "The user did not confirm the login in time.")
        }
        return AuthStateError(
            .deviceCodeExpired, stage: .token,
            "The login's time is over, and at the end of it the provider could not be asked whether it was confirmed.",
            hint: "Check the network, then log in again.", underlying: lastFailure)
    }

    /// Records that a poll brought no tokens.
    ///
    /// `authorization_pending` keeps the interval, each `slow_down` adds 5 seconds to it; after a failure of the
    /// connection or the server each pause is twice as long as the one before, up to a minute, until there is an answer
    /// again.
    ///
    /// - Throws: The error itself when it ends the login: the user refused, the login expired, the client is wrong.
    package mutating func note(_ error: AuthStateError) throws(AuthStateError) {
        retryAfter = error.retryAfter ?? .zero
        switch (error.code, error.kind) {
        case (.authorizationPending, _): (unanswered, lastFailure) = (0, nil)
        case (.slowDown, _):
            (unanswered, lastFailure) = (0, nil)
            interval += .seconds(5)
        case (_, .transient): (unanswered, lastFailure) = (unanswered + 1, error)
        default: throw error
        }
    }
}
