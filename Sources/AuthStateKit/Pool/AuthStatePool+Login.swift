public import AuthStateOAuth

extension AuthStatePool {
    /// Completes a login that `AuthorizationService.begin(_:)` began, perhaps in another process, and keeps it under a key.
    ///
    /// A caller that already holds the key's state sees the new grant in it.
    ///
    /// - Parameter annotations: Kept with the state, see `AuthState.Record.annotations`.
    /// - Throws: `AuthStateError` of the stage that failed; what was stored before is then unchanged.
    @discardableResult
    public func complete(
        _ pending: PendingAuthorization,
        callback: AuthorizationCallback,
        for key: AuthStateKey,
        annotations: [String: String] = [:]
    ) async throws -> AuthState {
        await insert(try await wayIn(key, annotations).complete(pending, callback: callback))
    }

    /// Logs a user in on another device (RFC 8628), and keeps the login under a key.
    ///
    /// - Parameter present: Shows the codes to the user, see `AuthState.authorizeDevice`.
    /// - Throws: `AuthStateError` of the stage that failed, the errors of `present`, or `CancellationError`; what was
    ///   stored before is then unchanged.
    @discardableResult
    public func authorizeDevice(
        _ request: DeviceAuthorizationRequest,
        for key: AuthStateKey,
        annotations: [String: String] = [:],
        present: @Sendable (DeviceAuthorizationResponse) async throws -> Void
    ) async throws -> AuthState {
        await insert(try await wayIn(key, annotations).authorize(request, present: present))
    }

    /// Completes a login on another device, whose codes `AuthorizationService.authorizeDevice(_:credential:)` fetched.
    ///
    /// - Throws: As `authorizeDevice`.
    @discardableResult
    public func completeDevice(
        _ response: DeviceAuthorizationResponse, for key: AuthStateKey, annotations: [String: String] = [:]
    ) async throws -> AuthState {
        await insert(try await wayIn(key, annotations).complete(response))
    }

    /// Logs a user in with CIBA (OpenID Connect CIBA Core 1.0): the provider asks the user whether the client may log
    /// them in. Keeps the login under a key.
    ///
    /// - Parameter present: Tells the user what to confirm and where, see `AuthState.authorizeBackchannel`.
    /// - Throws: `AuthStateError` of the stage that failed, the errors of `present`, or `CancellationError`; what was
    ///   stored before is then unchanged.
    @discardableResult
    public func authorizeBackchannel(
        _ request: BackchannelAuthenticationRequest,
        for key: AuthStateKey,
        annotations: [String: String] = [:],
        present: @Sendable (BackchannelAuthenticationResponse) async throws -> Void = { _ in }
    ) async throws -> AuthState {
        await insert(try await wayIn(key, annotations).authorize(request, present: present))
    }

    /// Completes a login that `AuthorizationService.authorizeBackchannel(_:credential:)` began.
    ///
    /// - Throws: As `authorizeBackchannel`.
    @discardableResult
    public func completeBackchannel(
        _ response: BackchannelAuthenticationResponse, for key: AuthStateKey, annotations: [String: String] = [:]
    ) async throws -> AuthState {
        await insert(try await wayIn(key, annotations).complete(response))
    }

    /// Gets a token in the client's own name (RFC 6749, section 4.4), and keeps it under a key.
    ///
    /// - Throws: `AuthStateError` of stage token; what was stored before is then unchanged.
    @discardableResult
    public func clientCredentials(
        configuration: ServiceConfiguration,
        clientID: String,
        scopes: [Scope] = [],
        resources: [String] = [],
        additionalParameters: Parameters = [:],
        dpopKey: DPoPKey? = nil,
        for key: AuthStateKey,
        annotations: [String: String] = [:]
    ) async throws -> AuthState {
        let grant = AuthState.ClientCredentialsGrant(
            scopes: scopes, resources: resources, additionalParameters: additionalParameters)
        return await insert(
            try await wayIn(key, annotations).ask(.clientCredentials(grant), configuration, clientID, dpopKey))
    }

    /// Gets a token with an assertion that a service signs (RFC 7523, section 2.1), and keeps it under a key.
    ///
    /// - Throws: `AuthStateError` of stage token; what was stored before is then unchanged.
    @discardableResult
    public func jwtBearer(
        _ grant: JWTBearerGrant,
        configuration: ServiceConfiguration,
        clientID: String? = nil,
        dpopKey: DPoPKey? = nil,
        for key: AuthStateKey,
        annotations: [String: String] = [:]
    ) async throws -> AuthState {
        await insert(
            try await wayIn(key, annotations)
                .ask(.jwtBearer(grant), configuration, clientID ?? grant.issuer, dpopKey))
    }

    /// Adds a state that has just logged in; it must have been made with the pool's `service` and `store`.
    ///
    /// - Returns: The one state of its key from now on: the one before, which has adopted the new grant, or this one.
    @discardableResult
    public func insert(_ state: AuthState) async -> AuthState {
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
            return (load, nil, contents.put(state, options, jitter))
        }
        load.map(displace)
        return found
    }

    /// Logs a key out: forgets its grant, here and in the store, as `AuthState.clear()` does; the provider is not told.
    ///
    /// A caller that has the key's state sees it logged out. Without a login nothing happens. `removeEnd(_:)` removes
    /// the record that stays in the store.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the end could not be saved; in memory the grant is gone.
    public func remove(_ key: AuthStateKey) async throws {
        try await clear(key)
        contents.withLock { $0.loads.removeValue(forKey: key) }.map(displace)
        // A state that was read before the removal may have landed meanwhile.
        try await catchUp(key)
        release(key)
    }

    /// Removes the record that a logout left in the store, see `AuthState.removeEnd()`; has no effect on a login.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; `CancellationError`.
    public func removeEnd(_ key: AuthStateKey) async throws {
        if let state = loadedObject(key) { return try await state.removeEnd() }
        guard let stored = try await store.load(key) else { return }
        let record = try surroundings.record(of: stored)
        try await AuthState(record, in: surroundings, key: key, storedVersion: stored.version).removeEnd()
    }

    private func clear(_ key: AuthStateKey) async throws {
        if let state = loadedObject(key) {
            try await state.clear()
        } else {
            try await AuthState.end(key, in: surroundings)
        }
    }

    private func catchUp(_ key: AuthStateKey) async throws {
        guard let state = loadedObject(key), state.isGranted else { return }
        try await state.catchUp()
    }

    private func wayIn(_ key: AuthStateKey, _ annotations: [String: String]) -> AuthState.WayIn {
        AuthState.WayIn(credential(key) ?? .none, in: surroundings, key, annotations)
    }

    private func loadedObject(_ key: AuthStateKey) -> AuthState? { contents.withLock { $0.table.slot(key)?.state } }
}
