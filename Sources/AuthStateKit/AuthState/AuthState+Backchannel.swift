public import AuthStateOAuth

extension AuthState {
    /// Has the provider ask a person, for example on their phone, whether this client may log them in (OpenID Connect CIBA
    /// Core 1.0), and keeps the result, which renews like any other.
    ///
    /// The store is tried before anybody is asked, so that no login is lost for want of a writable place. A last save that
    /// fails is no error here, as with `authorize`.
    ///
    /// - Parameters:
    ///   - annotations: Kept with the state, see `Record.annotations`.
    ///   - present: Tells the person that the provider asks them now, and shows the request's `bindingMessage` to compare;
    ///     when it returns the provider is asked for the tokens until the person has decided.
    /// - Throws: `AuthStateError` of the stage that failed, see `AuthorizationService.authorizeBackchannel(_:credential:)` and
    ///   its `pollTokens`: `.accessDenied` when the person refuses, `.deviceCodeExpired` when nobody decides in time. What
    ///   `present` throws; `CancellationError`. What was stored before is then untouched.
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

    /// Completes a login about which `AuthorizationService.authorizeBackchannel(_:credential:)` had a person asked, perhaps in
    /// another process, and keeps the result: waits until the person has decided.
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
