import AuthStateJOSE

extension OpenIDProvider {
    /// Makes the next requests at an endpoint fail; faults are used up in order, one for each request.
    ///
    /// - Parameters:
    ///   - fault: The failure of each of these requests.
    ///   - endpoint: The endpoint whose requests fail.
    ///   - times: How many requests.
    public func inject(_ fault: Fault, at endpoint: Endpoint, times: Int = 1) {
        core.faults.withLock { $0[endpoint, default: FaultPlan()].queue += Array(repeating: fault, count: times) }
    }

    /// Decides for every request at an endpoint whether it fails; nil lets it pass. Queued faults come first.
    public func injectFaults(at endpoint: Endpoint, _ decide: @escaping @Sendable (Request) -> Fault?) {
        core.faults.withLock { $0[endpoint, default: FaultPlan()].decide = decide }
    }

    /// Removes every fault that has not happened yet.
    package func removeFaults() { core.faults.withLock { $0 = [:] } }

    /// Decides a device's login, like a user who has entered its user code: allows it for the first user, or denies
    /// it.
    ///
    /// - Parameters:
    ///   - userCode: In any case, with or without its hyphen.
    ///   - allow: Whether the login is allowed; false denies it.
    /// - Returns: Whether a login with this code waits for a decision.
    @discardableResult
    public func decide(userCode: String, allow: Bool) -> Bool {
        core.withState { state in
            guard let (code, _) = state.waitingDevice(userCode: userCode) else { return false }
            state.decide(code, allowing: allow ? state.configuration.users.first : nil)
            return true
        }
    }

    /// Decides the backchannel logins of a user, like the user on their phone. Without `Login.page` they are
    /// decided at once.
    ///
    /// - Parameters:
    ///   - loginHint: The user's name, subject or mail address.
    ///   - allow: Whether the logins are allowed; false denies them.
    /// - Returns: Whether a login of theirs waits for a decision.
    @discardableResult
    public func decide(loginHint: String, allow: Bool) -> Bool {
        core.withState { state in
            let waiting = state.waitingLogins(of: loginHint)
            for (code, user) in waiting { state.decide(code, allowing: allow ? user : nil) }
            return !waiting.isEmpty
        }
    }

    /// Revokes every grant: refresh tokens fail with `invalid_grant`, access tokens are refused.
    public func revokeGrants() { core.state.withLock { $0.revokeGrants() } }

    /// Returns whether an access token is one of this provider, and still valid by its own time.
    public func hasIssued(accessToken: String) -> Bool {
        core.withState { state in state.accessTokens[accessToken].map { state.now < $0.expiresAt } ?? false }
    }

    /// Expires every access token at once, before its announced lifetime ends; grants stay.
    public func expireAccessTokens() { core.state.withLock { $0.expireAccessTokens() } }

    /// Makes userinfo and the protected resource refuse the next access tokens, valid ones too.
    ///
    /// - Parameters:
    ///   - times: The number of requests that are refused.
    ///   - challenge: The value of `WWW-Authenticate`; nil sends none.
    public func rejectAccessTokens(times: Int = 1, challenge: String? = #"Bearer error="invalid_token""#) {
        core.state.withLock { $0.rejections = (times, challenge) }
    }

    /// Requires another nonce in DPoP proofs from now on, if it requires any.
    public func rotateDPoPNonce() { core.state.withLock { $0.proofs.rotate() } }

    /// Signs with new keys from now on.
    ///
    /// - Parameter keepsOld: Whether the old public keys stay in the key set.
    /// - Throws: `JOSEError` when the system's cryptographic library fails.
    public func rotateKeys(keepsOld: Bool = true) throws { try core.keys.rotate(keepsOld: keepsOld) }

    /// Makes the logout token that a provider posts to a client's back-channel logout endpoint (OpenID Connect Back-Channel
    /// Logout 1.0, section 2.4).
    ///
    /// - Parameters:
    ///   - clientID: The client that it is for.
    ///   - subject: The user; nil names none.
    ///   - sessionID: The session (`sid`), as in an ID token; nil ends all sessions of the user.
    /// - Throws: `JOSEError` when the system's cryptographic library fails.
    public func logoutToken(for clientID: String, subject: String? = nil, sessionID: String? = nil) throws -> String {
        try core.logoutToken(for: clientID, subject: subject, sessionID: sessionID)
    }

    /// The names (`kid`) of the keys that are published, the current ones first.
    package var keyIDs: [String] { core.keys.published.compactMap(\.keyID) }

    /// Its counters since it started.
    public var statistics: Statistics { core.state.withLock { $0.statistics } }

    /// Requests at an endpoint since it started, failed ones included.
    package func requestCount(_ endpoint: Endpoint) -> Int { statistics.requests[endpoint] ?? 0 }

    /// The newest requests at an endpoint, at most 100, the last one last.
    public func requests(at endpoint: Endpoint) -> [Request] { core.state.withLock { $0.requests[endpoint] ?? [] } }
}
