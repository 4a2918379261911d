public import AuthStateOAuth

extension AuthState {
    /// Takes a person through a login and keeps the result.
    ///
    /// The store is tried before the browser opens, so that no login is lost for want of a writable place.
    ///
    /// Should the very last save fail all the same, the state is returned, and `current.storeError` says why: `save()`
    /// tries again.
    ///
    /// - Parameter annotations: Kept with the state, see `Record.annotations`.
    /// - Throws: `AuthStateError` of the stage that failed, or `CancellationError`; what was stored before is then untouched.
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
        try await service.traced { try await tryStore(store, key, options) }
        let (response, tokens) = try await service.authorize(request, presenting: userAgent, credential: credential)
        var record = Record(
            configuration: request.configuration, clientID: request.clientID, credential: credential)
        record.annotations = annotations
        return try await make(
            record, .loggedIn(response, tokens), service: service, store: store, key: key, options: options)
    }

    /// Completes a login that `AuthorizationService.begin(_:)` began, perhaps in another process, and keeps the result.
    ///
    /// A last save that fails is no error here, as with `authorize`.
    ///
    /// - Throws: `AuthStateError` of the stage that failed; what was stored before is then untouched.
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
        try await service.traced { try await tryStore(store, key, options) }
        let (response, tokens) = try await service.complete(pending, callback: callback, credential: credential)
        var record = Record(
            configuration: pending.request.configuration, clientID: pending.request.clientID, credential: credential)
        record.annotations = annotations
        return try await make(
            record, .loggedIn(response, tokens), service: service, store: store, key: key, options: options)
    }

    /// Reads a stored state.
    ///
    /// - Parameter credential: The client's credential, when the stored state cannot refer to it.
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

    /// Reads a stored state, and lets the caller put parts in that are equal and that others have already.
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
        var record = try AuthStateArchive(data: stored.archive).record
        if let credential { record.credential = credential }
        return AuthState(
            sharing(record), in: surroundings, key: key, storedVersion: stored.version, sight: sight)
    }

    /// Finds out whether the store can be written, and holds nothing that would be lost, before anything is redeemed.
    static func tryStore(_ store: any AuthStateStore, _ key: AuthStateKey, _ options: Options) async throws {
        try await store.withLease(key, deadline: options.leaseDeadline) { lease in
            if let stored = try await lease.load() { _ = try AuthStateArchive(data: stored.archive) }
            try await lease.reserve()
        }
    }

    /// A new state, saved over whatever was stored under the key.
    static func make(
        _ record: Record, _ event: Event, service: AuthorizationService, store: any AuthStateStore, key: AuthStateKey,
        options: Options
    ) async throws -> AuthState {
        let state = AuthState(record, service: service, store: store, key: key, options: options)
        await state.begin(with: event)
        return state
    }

    /// Saves a first grant over what is stored, and counts its epoch on from there.
    private func begin(with event: Event) async {
        defer { publish() }
        do { try await transaction { state, lease in try await state.begin(with: event, under: lease) } } catch {
            if unsaved.isEmpty { apply(event) }
            report(unsaved: error)
        }
    }

    private func begin(with event: Event, under lease: any AuthStateLease) async throws {
        let stored = try await lease.load()
        storedVersion = stored?.version
        if let stored {
            let before = try AuthStateArchive(data: stored.archive).record
            storedAge = before.age
            record.grantEpoch = before.grantEpoch
            record.revision = before.revision
            record.keepRegistration(of: before)
        }
        apply(event)
        try await save(under: lease)
    }
}

extension AuthStateError {
    static let nobodyIsLoggedIn = AuthStateError(
        .notLoggedIn, stage: .store, "Nobody is logged in.", hint: "Log in first.")
}

extension AuthState.Record {
    /// A login by a registered client keeps what was registered: the secret may be nowhere else, and the token that
    /// manages the registration is not.
    mutating func keepRegistration(of before: Self) {
        guard let registration = before.lastRegistrationResponse, registration.clientID == clientID,
            configuration.issuer == before.configuration.issuer, lastRegistrationResponse == nil
        else { return }
        lastRegistrationResponse = registration
    }
}
