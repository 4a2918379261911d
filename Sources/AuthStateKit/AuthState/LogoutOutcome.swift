public import AuthStateOAuth

/// The outcome of each part of a logout; each is tried even when the one before failed.
public struct LogoutOutcome: Sendable, Hashable {
    /// The outcome of one part.
    public enum Part: Sendable, Hashable {
        /// It is done.
        case done
        /// There was nothing to do, or it was not asked for.
        case notNeeded
        /// The provider has no endpoint for it.
        case notOffered
        /// It could not be done, for this reason.
        case failed(AuthStateError)
    }

    /// The outcome of the session at the provider.
    public enum Session: Sendable, Hashable {
        /// It has ended.
        case ended
        /// There was none, as with a login of the client itself, or its end was not asked for.
        case notNeeded
        /// The provider has no endpoint to end it.
        case notOffered
        /// It ends when the browser goes there.
        case pending(PendingLogout)
        /// It could not be ended, for this reason.
        case failed(AuthStateError)
    }

    /// The removal of the stored state; in memory the login is gone in any case.
    public var removal: Part
    /// The revocation of the tokens at the provider (RFC 7009); tokens that were not revoked are valid until they
    /// expire.
    public var revocation: Part
    /// The end of the session at the provider (OpenID Connect RP-Initiated Logout 1.0).
    public var session: Session

    /// Makes an outcome, for example for a test.
    public init(removal: Part, revocation: Part, session: Session) {
        (self.removal, self.revocation, self.session) = (removal, revocation, session)
    }

    /// The outcome where there was no login.
    package static let nothing = Self(removal: .notNeeded, revocation: .notNeeded, session: .notNeeded)

    /// The errors of the parts that failed, the stored state first.
    public var failures: [AuthStateError] {
        var failures: [AuthStateError] = []
        if case .failed(let error) = removal { failures.append(error) }
        if case .failed(let error) = revocation { failures.append(error) }
        if case .failed(let error) = session { failures.append(error) }
        return failures
    }

    /// The logout that the browser still has to complete at the provider; nil when there is none.
    public var pending: PendingLogout? {
        guard case .pending(let pending) = session else { return nil }
        return pending
    }
}
