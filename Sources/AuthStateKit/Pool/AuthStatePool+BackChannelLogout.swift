public import AuthStateOAuth
public import AuthStateStorage
import AuthStateSystem

extension AuthStatePool {
    /// The sessions that a logout token ended.
    public struct BackChannelOutcome: Sendable, Hashable {
        /// The keys whose sessions have ended, here and, through the store, on every server.
        public var ended: [AuthStateKey] = []
        /// Why the tokens of ended sessions could not be revoked at the provider.
        public var warnings: [AuthStateError] = []
    }

    /// Ends the sessions that a provider's logout token names (OpenID Connect Back-Channel Logout 1.0, section 2.7), and revokes
    /// their tokens.
    ///
    /// Other servers of the store see the end as they see a logout by another process. Answer the provider with status 200
    /// when this returns, also without a session, and with 400 when it throws: it may then send the token again, and the rest is
    /// ended. `removeEnd(_:)` removes the record of the end where no later login uses the key.
    ///
    /// A session whose login is still in progress ends too: `logIn(_:for:annotations:)` then throws, on every server of the
    /// store.
    ///
    /// - Parameter token: A verified token, from `AuthorizationService.logoutToken(_:configuration:clientID:)`.
    /// - Throws: `AuthStateError`: `.invalidArgument` when the pool's store is not an `IndexedAuthStateStore`; of kind
    ///   `.store` when a session could not be found or ended, with all others ended.
    @discardableResult
    public func logOut(_ token: LogoutToken) async throws -> BackChannelOutcome {
        guard let store = store as? IndexedAuthStateStore else {
            throw AuthStateError(
                .invalidArgument, stage: .logout, "The store cannot tell which sessions a logout token ends.",
                expected: "an IndexedAuthStateStore around the pool's store", received: "\(type(of: store))")
        }
        var (outcome, failure) = (BackChannelOutcome(), (any Error)?.none)
        do { try await store.recordEnd(by: token) } catch { failure = error }
        for (key, grant) in try await store.grants(endedBy: token) {
            do {
                guard let state = try await session(key, grant) else { continue }
                let logout = await state.logOut(with: nil)
                if case .failed(let error) = logout.removal { throw error }
                if case .failed(let error) = logout.revocation { outcome.warnings.append(error) }
                outcome.ended.append(key)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return outcome
    }

    /// Ends the oldest sessions of a user who has more than the index has room for; without it their later sessions could not be
    /// saved.
    func endSurplus(beside state: AuthState) async {
        guard let store = store as? IndexedAuthStateStore,
            let token = state.snapshot.idToken.flatMap({ try? IDToken(parsing: $0) })
        else { return }
        for (name, key, grant) in (try? await store.surplus(of: token)) ?? [] where key != state.key {
            // One that cannot be ended now is tried again at the next login.
            do {
                guard let old = try await session(key, grant) else {
                    await store.index.remove(key, of: grant, from: name)
                    continue
                }
                _ = await old.logOut(with: nil)
                try await removeEnd(key)
            } catch {}
        }
    }

    /// The state of an indexed session, as it is stored; nil when it has ended, or the key has another login by now.
    private func session(_ key: AuthStateKey, _ grant: String) async throws -> AuthState? {
        var isLast = false
        while true {
            do {
                let state = try await state(for: key)
                try await state.reload()
                return state.snapshot.grantID == grant ? state : nil
            } catch AuthStateError.Code.notLoggedIn {
                if isLast { return nil }
            }
            // A login is in the index before it is stored: it holds the lease until then.
            try await store.withLease(key, deadline: options.state.leaseDeadline) { _ in }
            isLast = true
        }
    }
}
