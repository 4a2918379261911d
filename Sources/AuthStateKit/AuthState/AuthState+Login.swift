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

    /// Reads a stored state.
    ///
    /// Where other programs can write the store, the stored state decides neither which secret is read nor where it is
    /// sent. Give a credential that is bound to its provider, for example
    /// `.environment("SECRET").sent(onlyTo: .issuer("https://op.example"))`. A request that would send another
    /// credential, or send it elsewhere, throws `.credentialWithheld`.
    ///
    /// - Parameter credential: The client's credential, in place of the one that the stored state refers to.
    /// - Throws: `AuthStateError`: `.notLoggedIn` when nothing is stored; kind `.store` when it cannot be read.
    public static func restore(
        from store: any AuthStateStore,
        key: AuthStateKey = .default,
        credential: ClientCredential? = nil,
        service: AuthorizationService = AuthorizationService(),
        options: Options = Options()
    ) async throws -> AuthState {
        try await restore(
            key, credential: credential, in: Surroundings(service: service, store: store, options: options),
            sharing: { $0 })
    }

    /// Reads a stored state; the caller may replace its parts with equal ones that other states already have.
    static func restore(
        _ key: AuthStateKey,
        credential: ClientCredential?,
        in surroundings: Surroundings,
        sharing: (Record) -> Record
    ) async throws -> AuthState {
        let store = surroundings.store
        // The watch first: what changes from here on is noticed.
        let now = surroundings.service.configuration.clock.secondsSince1970
        let sight = StoreSight(
            await store.watch(key), at: now, interval: surroundings.options.storeCheckInterval)
        guard let stored = try await store.load(key) else { throw AuthStateError.nobodyIsLoggedIn }
        let record = try surroundings.record(of: stored, credential: credential)
        if record.isForgettable { throw AuthStateError.nobodyIsLoggedIn }
        return AuthState(
            sharing(record), in: surroundings, key: key, storedVersion: stored.version, sight: sight)
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

extension AuthStateError {
    static let nobodyIsLoggedIn = AuthStateError(
        .notLoggedIn, stage: .store, "No user is logged in.", hint: "Log in first.")
}
