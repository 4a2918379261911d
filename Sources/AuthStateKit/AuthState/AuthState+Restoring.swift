public import AuthStateOAuth

extension AuthState {
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
            await store.watch(key), at: now, interval: surroundings.options.storeCheckInterval.inSeconds)
        guard let stored = try await store.load(key) else { throw AuthStateError.noUserIsLoggedIn }
        let record = try surroundings.record(of: stored, credential: credential)
        if record.isForgettable { throw AuthStateError.noUserIsLoggedIn }
        return AuthState(
            sharing(record), in: surroundings, key: key, storedVersion: stored.version, sight: sight)
    }

    /// Reads a stored state, or logs a user in with a user agent where there is none to continue with.
    ///
    /// The user agent opens when nothing is stored or the user is logged out, when the stored state is in error or has
    /// expired without a means of renewal, and when it belongs to another client or provider than the request. A stored
    /// state that cannot be read is not replaced: the error is thrown. The scopes of a stored login are not compared.
    ///
    /// - Parameters:
    ///   - request: The request to log in with.
    ///   - credential: The client's credential, for the stored state too; `.none` leaves a stored state its own.
    ///   - annotations: Kept with the state after a login, see `Record.annotations`.
    /// - Throws: As `restore` and `authorize` do, but for `.notLoggedIn`.
    public static func restoreOrAuthorize(
        _ request: AuthorizationRequest,
        presenting userAgent: any ExternalUserAgent,
        credential: ClientCredential = .none,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore,
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options()
    ) async throws -> AuthState {
        do {
            let state = try await restore(
                from: store, key: key, credential: credential == .none ? nil : credential, service: service,
                options: options)
            if state.snapshot.isOfClient(of: request), state.hasTokens { return state }
        } catch AuthStateError.Code.notLoggedIn {}
        return try await authorize(
            request, presenting: userAgent, credential: credential, service: service, store: store, key: key,
            annotations: annotations, options: options)
    }

    /// Whether there are fresh tokens, or a means to get some, and no error.
    private nonisolated var hasTokens: Bool { current.canRenew || tokensIfFresh() != nil }
}

extension AuthState.Record {
    /// Whether a request is one of the same client at the same provider.
    fileprivate func isOfClient(of request: AuthorizationRequest) -> Bool {
        guard clientID.isExactly(request.clientID) else { return false }
        guard let issuer = configuration.issuer, let theirs = request.configuration.issuer else {
            return configuration.tokenEndpoint == request.configuration.tokenEndpoint
        }
        return issuer == theirs
    }
}

extension AuthStateError {
    static let noUserIsLoggedIn = AuthStateError(
        .notLoggedIn, stage: .store, "No user is logged in.", hint: "Log in first.")
}
