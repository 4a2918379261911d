public import AuthStateOAuth
import AuthStateStorage
import AuthStateUserAgent

extension AuthState {
    /// Registers a client (RFC 7591) and keeps what the provider issued, for logins with `authorize(_:presenting:)`.
    ///
    /// Checks that the store can be written before the provider is asked, so that no registration is lost to an
    /// unwritable store. When the last save fails all the same, the state is returned with the reason in
    /// `status.storeError`.
    ///
    /// - Parameters:
    ///   - request: The provider, and the metadata to register.
    ///   - credential: The private key of a client that registers for `private_key_jwt`; a secret comes from the
    ///     provider.
    ///   - place: Where the state is kept.
    ///   - annotations: Kept with the state, see `Record.annotations`.
    /// - Throws: `AuthStateError` of stage registration, or of kind `.store`; what was stored before is then unchanged.
    public static func register(
        _ request: RegistrationRequest, credential: ClientCredential = .none, at place: Place,
        annotations: [String: String] = [:]
    ) async throws -> AuthState {
        try await place.tryStore()
        let response = try await place.service.register(request)
        var record = Record(Client(request.provider, id: response.clientID, credential: credential))
        record.annotations = annotations
        return await place.state(record, .registered(response))
    }

    /// Logs a user in with the client of this state, and replaces the previous grant with the result.
    ///
    /// A registration is kept. Checks that the store can be written before the browser opens; when the last save fails
    /// all the same, `status.storeError` has the reason.
    ///
    /// - Throws: `AuthStateError` of the stage that failed, `.invalidArgument` for a request of another client;
    ///   `CancellationError`. The previous grant is then unchanged.
    public func authorize(_ request: AuthorizationRequest, presenting userAgent: any ExternalUserAgent) async throws {
        var request = request
        try await prepare(&request)
        let (response, tokens) = try await service.authorize(request, presenting: userAgent)
        try await take(response, tokens)
    }

    /// Completes a login with the client of this state that `AuthorizationService.begin(_:)` began.
    ///
    /// - Throws: As `authorize(_:presenting:)` does.
    public func complete(_ pending: PendingAuthorization, callback: AuthorizationCallback) async throws {
        var pending = pending
        try await prepare(&pending.request)
        let (response, tokens) = try await service.complete(pending, callback: callback)
        try await take(response, tokens)
    }

    /// Adopts the stored state, checks that the store can be written, and gives a request the client's credential.
    /// Throws `AuthStateError` with `.invalidArgument` for a request of another client, or kind `.store`.
    func prepare(_ request: inout AuthorizationRequest) async throws {
        try await transaction { lease in
            try await synchronize(with: lease)
            try await lease.reserve()
        }
        guard request.client.id == newest.client.id else {
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "The request is one of another client than the state.",
                expected: newest.client.id, received: request.client.id)
        }
        request.client.credential = newest.client.credential
    }

    /// Replaces the previous grant with the result of a login.
    func take(_ response: AuthorizationResponse, _ tokens: TokenResponse) async throws {
        // A failed save was reported by `commit`; the login takes effect all the same.
        do { try await commit(.loggedIn(response, tokens)) } catch is AuthStateError {}
    }
}
