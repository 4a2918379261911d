public import AuthStateOAuth
import AuthStateStorage

extension AuthState {
    /// Takes the answer of the authorization endpoint (AppAuth's `updateWithAuthorizationResponse:error:`).
    ///
    /// An OAuth error response moves the state into error, and a response passed with it is ignored; any other error is
    /// itself ignored.
    ///
    /// - Throws: `AuthStateError`: `.invalidArgument` for a response to another client or from another provider than the
    ///   state's, and then nothing changes; of kind `.store` when the state could not be saved, and then it still changes
    ///   in memory.
    public func update(with response: AuthorizationResponse?, error: (any Error)? = nil) async throws {
        if let event = try newest.event(of: response, error) { try await commit(event) }
    }

    /// Takes the answer of the token endpoint, whose ID token is not checked, or its error, by the same rule
    /// (AppAuth's `updateWithTokenResponse:error:`).
    ///
    /// - Throws: `AuthStateError`: `.credentialUnavailable` for tokens that are bound to a DPoP key when the state has
    ///   none, and then nothing changes; of kind `.store` when the state could not be saved, and then it still changes
    ///   in memory.
    public func update(with response: TokenResponse?, error: (any Error)? = nil) async throws {
        if let event = try newest.event(of: response, error) { try await commit(event) }
    }

    /// Takes the answer of the registration endpoint (AppAuth's `updateWithRegistrationResponse:`).
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the state could not be saved; it still changes in memory.
    public func update(with response: RegistrationResponse) async throws {
        try await commit(.registered(response))
    }

    /// Moves the state into error; the grant is kept (AppAuth's `updateWithAuthorizationError:`).
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the state could not be saved; it still changes in memory.
    public func update(authorizationError error: any Error) async throws {
        let known = error as? AuthStateError
        let error = AuthStateError(.providerError, stage: .resource, "The authorization ended.", underlying: error)
        try await commit(.failed(known ?? error))
    }

    /// Requests a renewal before the next use of the tokens.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the request could not be saved; it is still kept in memory.
    public func setNeedsTokenRefresh() async throws { try await commit(.refreshRequested) }

    /// Forgets the grant, here and in the store; unlike `logOut(.local)`, can be cancelled. Throws `AuthStateError` of
    /// kind `.store` when the end could not be saved; in memory the grant is gone.
    package func clear() async throws { try await commit(.loggedOut) }

    /// Removes the record that a logout left in the store; has no effect when another process has logged in since.
    ///
    /// The record has no secret: other processes notice the logout by it, and no older grant comes back. Remove it where no
    /// later login uses the key, as with the sessions of a server, or where no other process has the state.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; `CancellationError`.
    public func forgetLogout() async throws {
        try await transaction { lease in
            try await synchronize(with: lease)
            guard ledger.isSaved, ledger.version != nil, newest.isForgettable else { return }
            let end = ledger.writing
            try await lease.delete(expecting: end.expected)
            change { $0.deleted(end) }
        }
    }

    /// Removes a stored state, readable or not: a logout without a state at hand.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the state.
    ///   - key: The key of the state in the store.
    ///   - deadline: The time to wait for another holder of the lease; after it, `.storeLocked` is thrown.
    /// - Throws: `AuthStateError` of kind `.store`.
    public static func remove(
        from store: any AuthStateStore, key: AuthStateKey = .default, deadline: Duration = .seconds(30)
    ) async throws {
        try await store.withLease(key, deadline: deadline) { lease in try await lease.discard() }
    }
}

extension AuthState.Record {
    /// Returns what an answer of the authorization endpoint, or its error, does to the state; nil for nothing. Throws
    /// `AuthStateError` with `.invalidArgument` for an answer to another client.
    func event(of response: AuthorizationResponse?, _ error: (any Error)?) throws -> AuthState.Event? {
        if let error = error as? AuthStateError, error.response != nil, error.stage == .authorization {
            return .failed(error)
        }
        guard let response else { return nil }
        guard isOf(response.request.client) else {
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "The response is not one to this state's client.",
                expected: "\(client)", received: "\(response.request.client)",
                hint: "Keep a state for each client and provider.")
        }
        return .authorized(response)
    }

    /// Returns what an answer of the token endpoint, or its error, does to the state; nil for nothing. Throws
    /// `AuthStateError` with `.credentialUnavailable` for tokens that are bound to a key that the state has not.
    func event(of response: TokenResponse?, _ error: (any Error)?) throws -> AuthState.Event? {
        if let error = error as? AuthStateError, error.response != nil, [.token, .refresh].contains(error.stage) {
            return .failed(error)
        }
        guard let response else { return nil }
        guard !response.isBoundToKey || dpopKey != nil else {
            throw AuthStateError(
                .credentialUnavailable, stage: .usage,
                "These tokens are bound to a DPoP key, and the state does not have it.",
                hint: "Give the state the authorization response first: its request has the key.")
        }
        return .tokens(response)
    }
}
