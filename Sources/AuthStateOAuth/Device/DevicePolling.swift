#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// When to ask for the tokens of a device login, and when to give up (RFC 8628, sections 3.3 and 3.5).
///
/// A value without a clock: `wait(at:)` says how long to wait before the next question, `note(_:)` takes in an answer that
/// brought no tokens.
public struct DevicePolling: Sendable, Hashable {
    /// What the provider wants between two questions, in seconds; `slow_down` adds 5 for good.
    public private(set) var interval: Double
    /// When the codes end.
    public let expiresAt: Date
    /// Questions in a row that nobody answered: each doubles the pause.
    private var unanswered = 0
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

    /// The pause before the next question, in seconds.
    public var pause: Double {
        let doubled = interval * Double(1 << min(unanswered, 16))
        return max(min(doubled, max(interval, Self.longestBackoff)), retryAfter)
    }

    /// How long to wait before the next question, in seconds.
    ///
    /// - Throws: `AuthStateError` with `.deviceCodeExpired` as soon as no question fits in before the codes end.
    public func wait(at now: Date) throws(AuthStateError) -> Double {
        guard now.addingTimeInterval(pause) < expiresAt else { throw Self.expired }
        return pause
    }

    /// The codes ended here, before the provider said so.
    package static let expired = AuthStateError(
        .deviceCodeExpired, stage: .token, "Nobody confirmed the login before its code ended.",
        hint: "Log in again, and enter the new code in time.")

    /// Takes in that a question brought no tokens.
    ///
    /// `authorization_pending` keeps the interval, `slow_down` adds 5 seconds for good; after a failure of the connection
    /// or the server each pause is twice as long as the one before, up to a minute, until there is an answer again.
    ///
    /// - Throws: The error itself when it ends the login: the person refused, the code ended, the client is wrong.
    public mutating func note(_ error: AuthStateError) throws(AuthStateError) {
        retryAfter = error.retryAfter ?? 0
        switch (error.code, error.kind) {
        case (.authorizationPending, _): unanswered = 0
        case (.slowDown, _):
            unanswered = 0
            interval += 5
        case (_, .transient): unanswered += 1
        default: throw error
        }
    }
}
