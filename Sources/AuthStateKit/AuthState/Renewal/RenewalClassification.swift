package import AuthStateOAuth

/// The meaning of a failed renewal, decided here alone.
package enum RenewalClassification: Sendable, Hashable {
    /// The provider cannot be reached or is busy: the state stays, try again, after so many seconds if it said so.
    case transient(retryAfter: Double?)
    /// The grant is gone: the state moves into error. In answer to a request with parameters the grant is kept: a renewal of
    /// the default tokens tells whether it is gone.
    case reauthenticationRequired
    /// Refused without a reason: the grant is kept, and not renewed for a while.
    case refusedWithoutReason
    /// The client, its configuration or the answer is wrong: reported, the grant is kept.
    case configuration

    package init(_ error: AuthStateError, grantType: GrantType) {
        switch (error.code, error.kind) {
        case (.invalidGrant, _):
            self = grantType == .refreshToken ? .reauthenticationRequired : .configuration
        case (.refusedWithoutReason, _): self = .refusedWithoutReason
        case (_, .transient): self = .transient(retryAfter: error.retryAfter?.inSeconds)
        default: self = .configuration
        }
    }

    /// Returns whether sending the same request once more is harmless.
    package static func isSafeToRepeat(_ error: AuthStateError, isUnconfirmed: Bool) -> Bool {
        !isUnconfirmed && (error.code == .unreachable || error.httpStatus == 429 || error.httpStatus == 503)
    }
}
