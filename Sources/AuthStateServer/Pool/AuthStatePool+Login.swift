public import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

extension AuthStatePool {
    /// Logs a user in, or gets a program tokens of its own, and keeps the result under a key.
    ///
    /// A caller that already holds the key's state sees the new grant in it. A client without a credential gets the one
    /// that the pool has for the key.
    ///
    /// - Parameters:
    ///   - login: The way to log in.
    ///   - key: The key that the state is kept under.
    ///   - annotations: Kept with the state, see `AuthState.Record.annotations`.
    /// - Throws: As `AuthState.logIn(_:at:annotations:)`; what was stored before is then unchanged. `.notLoggedIn` when the
    ///   provider has ended the session meanwhile, see `logOut(_:)`: the login is then ended, and its tokens are revoked.
    @discardableResult
    public func logIn(
        _ login: AuthState.Login, for key: AuthStateKey, annotations: [String: String] = [:]
    ) async throws -> AuthState {
        let login = login.fallingBack(on: credential(key))
        let state = await adopt(
            try await AuthState.logIn(login, at: place.at(key), annotations: annotations))
        do { try await state.checkSession() } catch {
            release(key)
            throw error
        }
        await endSurplus(beside: state)
        return state
    }

    /// Adds a state that has just logged in; it must have been made with the pool's `service` and `store`.
    ///
    /// - Returns: The one state of its key from now on: the one before, which has adopted the new grant, or this one; logged
    ///   out when the provider has ended its session meanwhile, see `logOut(_:)`.
    @discardableResult
    public func insert(_ state: AuthState) async -> AuthState {
        let kept = await adopt(state)
        try? await kept.checkSession()
        await endSurplus(beside: kept)
        return kept
    }

    private func adopt(_ state: AuthState) async -> AuthState {
        await state.share { record in parts.withLock { $0.share(record) } }
        guard let older = place(state, insteadOf: nil), older !== state else { return state }
        // A change of the older one that is not saved yet, such as a logout, does not reach the new grant.
        if older.hasNoStoreError, state.hasNoStoreError, (try? await older.catchUp()) != nil {
            contents.withLock { $0.table.lookAgain(at: state.key) }
            return older
        }
        return place(state, insteadOf: older) ?? state
    }

    /// Puts a state into the table if there is none of its key but the given one; a load in progress is void.
    ///
    /// - Returns: The other state that is there, or nil.
    private func place(_ state: AuthState, insteadOf older: AuthState?) -> AuthState? {
        let jitter = jitter()
        // The evicted ones are freed after the lock.
        let (load, found, _) = contents.withLock { contents -> (Load?, AuthState?, [AuthState]) in
            let load = contents.loads.removeValue(forKey: state.key)
            if let found = contents.table.slot(state.key)?.state, found !== older { return (load, found, []) }
            let evicted = contents.put(state, options, jitter)
            contents.table.setUnchecked(store is IndexedAuthStateStore && !state.hasNoStoreError, state)
            return (load, nil, evicted)
        }
        load.map(displace)
        return found
    }

    /// Forgets the grant of a key, here and in the store; the provider is not told, and the record of the end stays.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the end could not be saved; in memory the grant is gone.
    package func remove(_ key: AuthStateKey) async throws {
        try await clear(key)
        contents.withLock { $0.loads.removeValue(forKey: key) }.map(displace)
        // A state that was read before the removal may have landed meanwhile.
        try await catchUp(key)
        release(key)
    }

    /// Removes the record that a logout left in the store, see `AuthState.forgetLogout()`; has no effect on a login.
    package func forgetLogout(_ key: AuthStateKey) async throws {
        if let state = loadedObject(key) { return try await state.forgetLogout() }
        try await place.at(key).forgetLogout()
    }

    private func clear(_ key: AuthStateKey) async throws {
        if let state = loadedObject(key) {
            try await state.clear()
        } else {
            try await place.at(key).end()
        }
    }

    private func catchUp(_ key: AuthStateKey) async throws {
        guard let state = loadedObject(key), state.isGranted else { return }
        try await state.catchUp()
    }

    func loadedObject(_ key: AuthStateKey) -> AuthState? { contents.withLock { $0.table.slot(key)?.state } }
}
