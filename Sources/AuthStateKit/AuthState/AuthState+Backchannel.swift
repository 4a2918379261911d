public import AuthStateOAuth

extension AuthState {
    /// Logs a user in with CIBA (OpenID Connect CIBA Core 1.0): the provider asks the user, for example on their phone,
    /// whether this client may log them in. Keeps the result, which renews like any other.
    ///
    /// Checks that the store can be written before the provider asks the user, so that no login is lost to an
    /// unwritable store. A failure of the last save is not thrown, as with `authorize`.
    ///
    /// - Parameters:
    ///   - annotations: Kept with the state, see `Record.annotations`.
    ///   - present: Tells the user that the provider asks them now, and shows the request's `bindingMessage` to
    ///     compare. When it returns, the provider is polled for the tokens until the user has decided.
    /// - Throws: `AuthStateError` of the stage that failed, see
    ///   `AuthorizationService.authorizeBackchannel(_:credential:)` and its `pollTokens`: `.accessDenied` when the user
    ///   refuses, `.deviceCodeExpired` when the user does not decide in time. The errors of `present`;
    ///   `CancellationError`. What was stored before is then unchanged.
    public static func authorizeBackchannel(
        _ request: BackchannelAuthenticationRequest,
        credential: ClientCredential = .none,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options(),
        present: @Sendable (BackchannelAuthenticationResponse) async throws -> Void = { _ in }
    ) async throws -> AuthState {
        try await WayIn(credential, service, store, key, annotations, options).authorize(request, present: present)
    }

    /// Completes a login that `AuthorizationService.authorizeBackchannel(_:credential:)` began, perhaps in another
    /// process: waits until the user has decided, and keeps the result.
    ///
    /// - Throws: As `authorizeBackchannel`.
    public static func completeBackchannel(
        _ response: BackchannelAuthenticationResponse,
        credential: ClientCredential = .none,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options()
    ) async throws -> AuthState {
        try await WayIn(credential, service, store, key, annotations, options).complete(response)
    }
}
