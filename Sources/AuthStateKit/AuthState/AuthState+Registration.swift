public import AuthStateOAuth

extension AuthState {
    /// Registers a client (RFC 7591) and keeps what the provider issued, for logins with `authorize(_:presenting:)`.
    ///
    /// The store is tried before the provider is asked, so that no registration is lost for want of a writable place. Should
    /// the very last save fail all the same, the state is returned, and `current.storeError` says why.
    ///
    /// - Parameters:
    ///   - credential: Where the private key is, for a client that registers for `private_key_jwt`; a secret comes from the
    ///     provider.
    ///   - annotations: Kept with the state, see `Record.annotations`.
    /// - Throws: `AuthStateError` of stage registration, or of kind `.store`; what was stored before is then untouched.
    public static func register(
        _ request: RegistrationRequest,
        credential: ClientCredential = .none,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options()
    ) async throws -> AuthState {
        try await WayIn(credential, service, store, key, annotations, options).register(request)
    }

    /// Takes a person through a login with the client of this state, and keeps the result here, over the grant of before.
    ///
    /// A registration stays what it is. The store is tried before the browser opens; should the very last save fail all the
    /// same, `current.storeError` says why.
    ///
    /// - Parameter request: A request of this state's client, see `snapshot`.
    /// - Throws: `AuthStateError` of the stage that failed, `.invalidArgument` for a request of another client;
    ///   `CancellationError`. The grant of before is then untouched.
    public func authorize(
        _ request: AuthorizationRequest, presenting userAgent: any ExternalUserAgent
    ) async throws {
        let credential = try await readiness(for: request)
        let (response, tokens) = try await service.authorize(request, presenting: userAgent, credential: credential)
        try await take(response, tokens)
    }

    /// Completes a login with the client of this state that `AuthorizationService.begin(_:)` began.
    ///
    /// - Throws: As `authorize(_:presenting:)` does.
    public func complete(_ pending: PendingAuthorization, callback: AuthorizationCallback) async throws {
        let credential = try await readiness(for: pending.request)
        let (response, tokens) = try await service.complete(pending, callback: callback, credential: credential)
        try await take(response, tokens)
    }

    /// Takes over what is stored, finds out whether it can be written, and tells how the client authenticates.
    func readiness(for request: AuthorizationRequest) async throws -> ClientCredential {
        try await transaction { state, lease in
            try await state.synchronize(with: lease)
            try await lease.reserve()
        }
        guard request.clientID == record.clientID else {
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "The request is one of another client than the state.",
                expected: record.clientID, received: request.clientID)
        }
        return record.credential
    }

    /// Keeps the result of a login over the grant of before.
    func take(_ response: AuthorizationResponse, _ tokens: TokenResponse) async throws {
        // A failed save was reported by `commit`; the login counts all the same.
        do { try await commit(.loggedIn(response, tokens)) } catch is AuthStateError {}
    }
}

extension AuthState.WayIn {
    /// By registering a client, to whom nothing is granted yet.
    func register(_ request: RegistrationRequest) async throws -> AuthState {
        try await state {
            let response = try await service.register(request)
            return (record(request.configuration, response.clientID), .registered(response))
        }
    }
}
