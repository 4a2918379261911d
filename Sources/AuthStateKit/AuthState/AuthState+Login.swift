public import AuthStateOAuth

extension AuthState {
    /// Logs a user in with a user agent and keeps the result.
    ///
    /// Checks that the store can be written before the browser opens, so that no login is lost to an unwritable store.
    ///
    /// When the last save fails all the same, the state is returned with the reason in `current.storeError`; `save()`
    /// tries again.
    ///
    /// - Parameter annotations: Kept with the state, see `Record.annotations`.
    /// - Throws: `AuthStateError` of the stage that failed, or `CancellationError`; what was stored before is then
    ///   unchanged.
    public static func authorize(
        _ request: AuthorizationRequest,
        presenting userAgent: any ExternalUserAgent,
        credential: ClientCredential = .none,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options()
    ) async throws -> AuthState {
        try await WayIn(credential, service, store, key, annotations, options)
            .authorize(request, presenting: userAgent)
    }

    /// Completes a login that `AuthorizationService.begin(_:)` began, perhaps in another process, and keeps the result.
    ///
    /// A failure of the last save is not thrown, as with `authorize`.
    ///
    /// - Throws: `AuthStateError` of the stage that failed; what was stored before is then unchanged.
    public static func complete(
        _ pending: PendingAuthorization,
        callback: AuthorizationCallback,
        credential: ClientCredential = .none,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options()
    ) async throws -> AuthState {
        try await WayIn(credential, service, store, key, annotations, options).complete(pending, callback: callback)
    }
}

extension AuthState.WayIn {
    /// Logs a user in with a page of the provider.
    func authorize(
        _ request: AuthorizationRequest, presenting userAgent: any ExternalUserAgent
    ) async throws -> AuthState {
        try await state {
            let (response, tokens) = try await service.authorize(
                request, presenting: userAgent, credential: credential)
            return (record(request.configuration, request.clientID), .loggedIn(response, tokens))
        }
    }

    /// Completes a login with the answer to a request that was made before.
    func complete(_ pending: PendingAuthorization, callback: AuthorizationCallback) async throws -> AuthState {
        try await state {
            let (response, tokens) = try await service.complete(pending, callback: callback, credential: credential)
            return (record(pending.request.configuration, pending.request.clientID), .loggedIn(response, tokens))
        }
    }
}
