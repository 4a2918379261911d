public import AuthStateOAuth

extension AuthState {
    /// Logs a user in on another device (RFC 8628) and keeps the result, which renews like any other.
    ///
    /// Checks that the store can be written before the provider is asked for codes, so that no login is lost to an
    /// unwritable store. A failure of the last save is not thrown, as with `authorize`.
    ///
    /// - Parameters:
    ///   - annotations: Kept with the state, see `Record.annotations`.
    ///   - present: Shows `userCode` and `verificationURI` to the user, and perhaps opens or draws
    ///     `verificationURIComplete`. When it returns, the provider is polled for the tokens until the user has
    ///     decided.
    /// - Throws: `AuthStateError` of the stage that failed: `.accessDenied` when the user refuses, `.deviceCodeExpired`
    ///   when the user does not confirm in time. The errors of `present`; `CancellationError`. What was stored before
    ///   is then unchanged.
    public static func authorizeDevice(
        _ request: DeviceAuthorizationRequest,
        credential: ClientCredential = .none,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options(),
        present: @Sendable (DeviceAuthorizationResponse) async throws -> Void
    ) async throws -> AuthState {
        try await WayIn(credential, service, store, key, annotations, options).authorize(request, present: present)
    }

    /// Completes a login whose codes `AuthorizationService.authorizeDevice(_:credential:)` fetched, perhaps in another
    /// process: waits until the user has decided, and keeps the result.
    ///
    /// - Throws: As `authorizeDevice`.
    public static func completeDevice(
        _ response: DeviceAuthorizationResponse,
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
