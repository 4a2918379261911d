public import AuthStateOAuth

extension AuthState {
    /// Takes the answer of the authorization endpoint (AppAuth's `updateWithAuthorizationResponse:error:`).
    ///
    /// An OAuth error response moves the state into error, and a response passed with it is ignored; any other error is
    /// itself ignored.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the state could not be saved; it counts in memory.
    public func update(with response: AuthorizationResponse?, error: (any Error)? = nil) async throws {
        if let error = error as? AuthStateError, error.response != nil, error.stage == .authorization {
            return try await commit(.failed(error))
        }
        if let response { try await commit(.authorized(response)) }
    }

    /// Takes the answer of the token endpoint (AppAuth's `updateWithTokenResponse:error:`); its ID token is not checked.
    ///
    /// An OAuth error response moves the state into error, and a response passed with it is ignored; any other error is
    /// itself ignored.
    ///
    /// - Throws: `AuthStateError`: `.credentialUnavailable` for tokens that are bound to a DPoP key when the state has none,
    ///   and then nothing changes; of kind `.store` when the state could not be saved, and then it counts in memory.
    public func update(with response: TokenResponse?, error: (any Error)? = nil) async throws {
        if let error = error as? AuthStateError, error.response != nil, error.stage == .token || error.stage == .refresh
        {
            return try await commit(.failed(error))
        }
        guard let response else { return }
        guard !response.isBoundToKey || record.dpopKey != nil else {
            throw AuthStateError(
                .credentialUnavailable, stage: .usage,
                "These tokens are bound to a DPoP key, and the state does not have it.",
                hint: "Give the state the authorization response first: its request has the key.")
        }
        try await commit(.tokens(response))
    }

    /// Takes the answer of the registration endpoint (AppAuth's `updateWithRegistrationResponse:`).
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the state could not be saved; it counts in memory.
    public func update(with response: RegistrationResponse) async throws {
        try await commit(.registered(response))
    }

    /// Moves the state into error; what was granted is kept (AppAuth's `updateWithAuthorizationError:`).
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the state could not be saved; it counts in memory.
    public func update(authorizationError error: any Error) async throws {
        let known = error as? AuthStateError
        try await commit(
            .failed(
                known ?? AuthStateError(.providerError, stage: .resource, "The authorization ended.", underlying: error)
            ))
    }

    /// Asks for a renewal before the tokens are used next.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the wish could not be saved; it counts in memory.
    public func setNeedsTokenRefresh() async throws { try await commit(.refreshRequested) }

    /// Forgets the grant and removes it from the store; the provider is not told, as `logOut` does.
    ///
    /// A registration is kept, with its credential: nobody else knows it, and the next login needs it.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when it could not be removed; in memory it is gone.
    public func clear() async throws {
        apply(.loggedOut)
        publish()
        let grantID = record.grantID
        do { _ = try await transaction { state, lease in try await state.remove(grantID, under: lease) } } catch {
            report(unsaved: error)
            publish()
            throw error
        }
    }

    /// Removes what is stored, but for a registration, unless somebody has logged in since.
    ///
    /// - Returns: What was stored, when its grant has ended by this.
    @discardableResult
    func remove(_ grantID: String, under lease: any AuthStateLease) async throws -> Record? {
        // What cannot be read is removed all the same.
        let stored = try? await lease.load().map { try surroundings.record(of: $0) }
        guard let place = unsaved.firstIndex(where: { $0.grantID == grantID }), record.grantID == grantID else {
            return nil
        }
        let (change, isRegistered) = (unsaved[place], record.lastRegistrationResponse != nil)
        guard !isRegistered, stored.map(change.spares) != true else {
            try await reconcile(with: lease)
            return record.grantID == grantID ? stored : nil
        }
        try await lease.discard()
        storedVersion = nil
        unsaved.removeFirst(min(place + 1, unsaved.count))
        if unsaved.isEmpty { storeError = nil }
        service.configuration.trace?.note(.store, "Removed the state", [.init("key", key.rawValue)])
        return stored
    }

    /// Removes a stored state, readable or not: a logout without a state at hand.
    ///
    /// - Throws: `AuthStateError` of kind `.store`.
    public static func remove(
        from store: any AuthStateStore, key: AuthStateKey = .default, deadline: Duration = .seconds(30)
    ) async throws {
        try await store.withLease(key, deadline: deadline) { lease in try await lease.discard() }
    }
}
