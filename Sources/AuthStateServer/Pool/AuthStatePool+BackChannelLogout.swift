import AuthStateKit
public import AuthStateOAuth
public import AuthStateStorage
import AuthStateSystem

extension AuthStatePool {
    /// The sessions that a logout token, or the logout of a user, ended.
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
    /// ended. Nothing is left in the store but the time of the logout, in the index.
    ///
    /// A session whose login is still in progress ends too: `logIn(_:for:annotations:)` then throws, on every server of the
    /// store.
    ///
    /// - Parameter token: A verified token, from `AuthorizationService.logoutToken(_:configuration:clientID:)`.
    /// - Throws: `AuthStateError`: `.invalidArgument` when the pool's store is not an `IndexedAuthStateStore`; of kind
    ///   `.store` when a session could not be found or ended, with all others ended.
    @discardableResult
    public func logOut(_ token: LogoutToken) async throws -> BackChannelOutcome {
        guard let name = SessionName(token) else { return BackChannelOutcome() }
        let end = SessionIndexEntry.End(token, of: name)
        return try await self.end(name, end, isWanted: false) { try await $0.grants(of: name, until: end) }
    }

    /// Ends all sessions of a user, here and, through the store, on every server, and revokes their tokens: for a support desk,
    /// for "sign out everywhere", for the deletion of an account. The session at the provider continues.
    ///
    /// A session whose login is still in progress ends too: `logIn(_:for:annotations:)` then throws.
    ///
    /// - Parameters:
    ///   - subject: `sub` of the user's ID tokens, see `AuthState.user`.
    ///   - issuer: `iss` of the user's ID tokens, exactly: `AuthState.user` has it.
    /// - Throws: As `logOut(_:)` for a logout token does.
    @discardableResult
    public func logOut(user subject: String, at issuer: Issuer) async throws -> BackChannelOutcome {
        let name = SessionName(user: subject, at: issuer)
        let end = SessionIndexEntry.End(at: service.configuration.clock.now)
        return try await self.end(name, end, isWanted: true) { try await $0.grants(of: name) }
    }

    /// Returns the keys of a user's sessions, the oldest first. The key of a login that a crash interrupted may be among them.
    ///
    /// - Parameters:
    ///   - subject: `sub` of the user's ID tokens, see `AuthState.user`.
    ///   - issuer: `iss` of the user's ID tokens, exactly: `AuthState.user` has it.
    /// - Throws: `AuthStateError`: `.invalidArgument` when the pool's store is not an `IndexedAuthStateStore`; of kind `.store`.
    public func keys(of subject: String, at issuer: Issuer) async throws -> [AuthStateKey] {
        try await indexedStore.grants(of: SessionName(user: subject, at: issuer)).map(\.key)
    }

    private var indexedStore: IndexedAuthStateStore {
        get throws {
            guard let store = store as? IndexedAuthStateStore else {
                throw AuthStateError(
                    .invalidArgument, stage: .logout, "The store cannot tell which sessions are a user's.",
                    expected: "an IndexedAuthStateStore around the pool's store", received: "\(type(of: store))")
            }
            return store
        }
    }

    /// Ends sessions, each if it is still the one that the index has.
    ///
    /// - Parameters:
    ///   - end: Recorded first, for the logins of the name that are in progress.
    ///   - isWanted: Whether the program, and not the provider, ends the sessions: then one that cannot be read is removed.
    private func end(
        _ name: SessionName, _ end: SessionIndexEntry.End, isWanted: Bool,
        sessions: (IndexedAuthStateStore) async throws -> [(key: AuthStateKey, grant: String)]
    ) async throws -> BackChannelOutcome {
        let store = try indexedStore
        var (outcome, failure) = (BackChannelOutcome(), (any Error)?.none)
        do {
            try await store.index.end(name, end, isWanted: isWanted)
            failure = await endUnsaved(name, &outcome)
        } catch { failure = error }
        for (key, grant) in try await sessions(store) {
            do {
                guard let logout = try await self.end(key, grant, removesUnreadable: isWanted) else { continue }
                if case .failed(let error) = logout.removal { throw error }
                if case .failed(let error) = logout.revocation { outcome.warnings.append(error) }
                outcome.ended.append(key)
                await leaveNothing(key)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return outcome
    }

    /// Ends the sessions of this pool that could not be saved, and so are in no entry, by the end that the index has; returns why one
    /// could not be ended.
    private func endUnsaved(_ name: SessionName, _ outcome: inout BackChannelOutcome) async -> (any Error)? {
        var failure: (any Error)?
        for state in contents.withLock({ $0.table.statesInUse { !$0.hasNoStoreError } })
        where !state.hasNoStoreError && IndexedSession(state.record).names.contains(name) {
            do { try await state.checkSession(isNew: false) } catch AuthStateError.Code.notLoggedIn {
                outcome.ended.append(state.key)
            } catch {
                failure = failure ?? error
            }
        }
        return failure
    }

    /// Ends one session of the index; nil when there is none to end.
    private func end(_ key: AuthStateKey, _ grant: String, removesUnreadable: Bool) async throws -> LogoutOutcome? {
        do {
            if let state = try await session(key, grant) { return await state.logOut(.revoking) }
            return try await saveEnd(key)
        } catch  where removesUnreadable && error.isAboutContent {
            return try await discard(key, error)
        }
    }

    /// Ends a user's oldest sessions beyond the index's limit: above it, later sessions could not be saved.
    func endSurplus(beside state: AuthState) async {
        guard let store = store as? IndexedAuthStateStore,
            let token = state.record.idToken.flatMap({ try? IDToken(parsing: $0) })
        else { return }
        for (name, key, grant) in (try? await store.surplus(of: token)) ?? [] where key != state.key {
            // One that cannot be ended now is tried again at the next login.
            do {
                guard let old = try await session(key, grant) else {
                    await store.index.remove(key, of: grant, from: name)
                    continue
                }
                _ = await old.logOut(.revoking)
                try await forgetLogout(key)
            } catch {}
        }
    }

    /// The state of an indexed session, as it is stored; nil when it has ended, or the key has another login by now that the index
    /// has no end of.
    private func session(_ key: AuthStateKey, _ grant: String) async throws -> AuthState? {
        var isLast = false
        while true {
            do {
                let state = try await state(for: key)
                try await state.reload()
                if state.record.grantID == grant { return state }
                // The login that the index has was not stored, after all: what is stored is one of before.
                if isLast {
                    let record = state.record
                    // A login meanwhile is another session.
                    guard try await indexedStore.hasEnded(record), state.record.grantID == record.grantID else {
                        return nil
                    }
                    return state
                }
            } catch AuthStateError.Code.notLoggedIn {
                if isLast { return nil }
            }
            // A login is in the index before it is stored: it holds the lease until then.
            try await store.withLease(key, deadline: options.state.leaseDeadline) { _ in }
            isLast = true
        }
    }
}
