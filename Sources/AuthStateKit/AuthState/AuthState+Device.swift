public import AuthStateOAuth

extension AuthState {
    /// Takes a person through a login on another device (RFC 8628) and keeps the result, which renews like any other.
    ///
    /// The store is tried before the provider is asked for codes, so that no login is lost for want of a writable place.
    /// A last save that fails is no error here, as with `authorize`.
    ///
    /// - Parameters:
    ///   - annotations: Kept with the state, see `Record.annotations`.
    ///   - present: Shows `userCode` and `verificationURI` to the person, and perhaps opens or draws
    ///     `verificationURIComplete`; when it returns the provider is asked for the tokens until the person has decided.
    /// - Throws: `AuthStateError` of the stage that failed: `.accessDenied` when the person refuses, `.deviceCodeExpired`
    ///   when nobody confirms in time. What `present` throws; `CancellationError`. What was stored before is then untouched.
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
    /// process, and keeps the result: waits until the person has decided.
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
