#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// When to ask for the tokens of a login that a person confirms elsewhere, and when to give up (RFC 8628, sections 3.3 and
/// 3.5; OpenID Connect CIBA Core 1.0, sections 7.3 and 11).
///
/// A value without a clock: `wait(at:)` says how long to wait before the next question, `note(_:)` takes in an answer that
/// brought no tokens.
public struct TokenPolling: Sendable, Hashable {
    /// What the provider wants between two questions, in seconds; `slow_down` adds 5 for good.
    public private(set) var interval: Double
    /// When the login's time is over.
    public let expiresAt: Date
    /// Questions in a row that nobody answered: each doubles the pause.
    private var unanswered = 0
    /// Why nobody answered the last question; nil when somebody did.
    private var lastFailure: AuthStateError?
    /// The pause that the last answer asked for (`Retry-After`), in seconds.
    private var retryAfter: Double = 0

    /// The longest pause that unanswered questions lead to, in seconds, unless the provider's own interval is longer.
    private static let longestBackoff: Double = 60

    /// Begins with what the provider said.
    ///
    /// - Parameter interval: In seconds.
    public init(interval: Double = 5, expiresAt: Date) {
        self.interval = interval
        self.expiresAt = expiresAt
    }

    /// Begins with what the provider said.
    public init(_ response: DeviceAuthorizationResponse) {
        self.init(interval: response.interval, expiresAt: response.expiresAt)
    }

    /// Begins with what the provider said.
    public init(_ response: BackchannelAuthenticationResponse) {
        self.init(interval: response.interval, expiresAt: response.expiresAt)
    }

    /// The pause before the next question, in seconds, however much time is left.
    public var pause: Double {
        let doubled = interval * Double(1 << min(unanswered, 16))
        return max(min(doubled, max(interval, Self.longestBackoff)), retryAfter)
    }

    /// How long to wait before the next question, in seconds.
    ///
    /// - Throws: `AuthStateError` with `.deviceCodeExpired` as soon as no question fits in before the time is over.
    public func wait(at now: Date) throws(AuthStateError) -> Double {
        let (left, shortest) = (expiresAt.timeIntervalSince(now), max(interval, retryAfter))
        guard shortest < left else { throw expired }
        // A provider that was away may be back: backing off does not skip the last question.
        return min(pause, max(shortest, left - shortest))
    }

    /// The time is over here, before the provider said so.
    package var expired: AuthStateError {
        guard let lastFailure else {
            return AuthStateError(
                .deviceCodeExpired, stage: .token, "Nobody confirmed the login in time.",
                hint: "Log in again, and confirm it in time.")
        }
        return AuthStateError(
            .deviceCodeExpired, stage: .token,
            "The login's time is over, and at the end of it the provider could not be asked whether it was confirmed.",
            hint: "Check the network, then log in again.", underlying: lastFailure)
    }

    /// Takes in that a question brought no tokens.
    ///
    /// `authorization_pending` keeps the interval, `slow_down` adds 5 seconds for good; after a failure of the connection
    /// or the server each pause is twice as long as the one before, up to a minute, until there is an answer again.
    ///
    /// - Throws: The error itself when it ends the login: the person refused, the time is over, the client is wrong.
    public mutating func note(_ error: AuthStateError) throws(AuthStateError) {
        retryAfter = error.retryAfter ?? 0
        switch (error.code, error.kind) {
        case (.authorizationPending, _): (unanswered, lastFailure) = (0, nil)
        case (.slowDown, _):
            (unanswered, lastFailure) = (0, nil)
            interval += 5
        case (_, .transient): (unanswered, lastFailure) = (unanswered + 1, error)
        default: throw error
        }
    }
}

/// The rule by its older name, from when it served devices alone.
public typealias DevicePolling = TokenPolling
