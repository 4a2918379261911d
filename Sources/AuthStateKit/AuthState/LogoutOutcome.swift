public import AuthStateOAuth

/// What became of the parts of a logout; each is tried, whatever became of the one before.
public struct LogoutOutcome: Sendable, Hashable {
    /// What became of one part.
    public enum Part: Sendable, Hashable {
        /// It is done.
        case done
        /// There was nothing to do.
        case notNeeded
        /// The provider has no endpoint for it.
        case notOffered
        /// It could not be done, for this reason.
        case failed(AuthStateError)
    }

    /// What became of the session at the provider.
    public enum Session: Sendable, Hashable {
        /// It has ended.
        case ended
        /// There was none: the client itself was logged in.
        case notNeeded
        /// The provider has no endpoint to end it.
        case notOffered
        /// It ends when the browser goes there.
        case pending(PendingLogout)
        /// It could not be ended, for this reason.
        case failed(AuthStateError)
    }

    /// The stored state; in memory the login is gone in any case.
    public var removal: Part
    /// The tokens at the provider (RFC 7009); those that were not revoked count until they end.
    public var revocation: Part
    /// The session at the provider (OpenID Connect RP-Initiated Logout 1.0).
    public var session: Session

    /// Makes an outcome, for example for a test.
    public init(removal: Part, revocation: Part, session: Session) {
        self.removal = removal
        self.revocation = revocation
        self.session = session
    }

    /// What failed, the stored state first.
    public var failures: [AuthStateError] {
        var failures: [AuthStateError] = []
        if case .failed(let error) = removal { failures.append(error) }
        if case .failed(let error) = revocation { failures.append(error) }
        if case .failed(let error) = session { failures.append(error) }
        return failures
    }

    /// Where the browser still has to go; nil when it does not.
    public var pending: PendingLogout? {
        guard case .pending(let pending) = session else { return nil }
        return pending
    }
}
