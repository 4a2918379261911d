import AuthStateOAuth

extension AuthState {
    /// The common part of all ways into a state: how the client authenticates, and where the state will be kept.
    ///
    /// Each way is a function of this type, beside the public function that takes the same values as parameters; a pool
    /// uses it too.
    struct WayIn: Sendable {
        let credential: ClientCredential
        let surroundings: Surroundings
        let key: AuthStateKey
        let annotations: [String: String]

        var service: AuthorizationService { surroundings.service }

        init(
            _ credential: ClientCredential, in surroundings: Surroundings, _ key: AuthStateKey,
            _ annotations: [String: String]
        ) {
            self.credential = credential
            self.surroundings = surroundings
            self.key = key
            self.annotations = annotations
        }

        /// Takes the parameters that the public functions have in common, in their order.
        init(
            _ credential: ClientCredential, _ service: AuthorizationService, _ store: any AuthStateStore,
            _ key: AuthStateKey, _ annotations: [String: String], _ options: Options
        ) {
            self.init(credential, in: Surroundings(service: service, store: store, options: options), key, annotations)
        }
    }
}

extension AuthState.WayIn {
    /// Returns a new state, saved over the one that was stored under the key.
    ///
    /// Checks that the store can be written before anything is granted, so that no grant is lost to an unwritable
    /// store.
    ///
    /// - Parameter grant: Obtains the grant; returns the record of the client, and the event.
    /// - Throws: The errors of `grant`; `AuthStateError` of kind `.store` before it. A failure of the last save is not
    ///   thrown.
    func state(
        after grant: () async throws -> (AuthState.Record, AuthState.Event)
    ) async throws -> AuthState {
        try await tryStore()
        let (record, event) = try await grant()
        return await state(record, event)
    }

    /// Returns a new state, saved over the one that was stored under the key, or kept in memory with the reason.
    func state(_ record: AuthState.Record, _ event: AuthState.Event) async -> AuthState {
        let state = AuthState(surroundings.vouched(record), in: surroundings, key: key)
        // A separate task, which the caller's cancellation does not reach: the grant must not be lost.
        await Task { await state.begin(with: event) }.value
        return state
    }

    /// Returns the record of a client before anything is granted.
    func record(
        _ configuration: ServiceConfiguration, _ clientID: String, dpopKey: DPoPKey? = nil
    ) -> AuthState.Record {
        var record = AuthState.Record(configuration: configuration, clientID: clientID, credential: credential)
        record.annotations = annotations
        record.dpopKey = dpopKey
        return record
    }

    /// Checks that the store can be written, and holds nothing unreadable that would be lost, before anything is
    /// redeemed.
    func tryStore() async throws {
        try await service.traced {
            try await surroundings.store.withLease(key, deadline: surroundings.options.leaseDeadline) { lease in
                if let stored = try await lease.load() { _ = try AuthStateArchive(data: stored.archive) }
                try await lease.reserve()
            }
        }
    }
}

extension AuthState {
    /// Saves a first grant over the stored state, and continues its count of epochs.
    fileprivate func begin(with event: Event) async {
        defer { publish() }
        do { try await transaction { state, lease in try await state.begin(with: event, under: lease) } } catch {
            if record.stamps.grant == .never { apply(event) }
            report(unsaved: error)
        }
    }

    private func begin(with event: Event, under lease: any AuthStateLease) async throws {
        let stored = try await lease.load()
        if let before = try stored.map({ try surroundings.record(of: $0) }) {
            (record.grantEpoch, record.revision) = (before.grantEpoch, before.revision)
        }
        apply(event)
        undecided = record.stamps.grant
        // A login by a registered client keeps the registration, and authenticates as the program says.
        let credential = record.credentialBox
        try merge(stored)
        record.credentialBox = credential
        await persist(under: lease)
        // Still under the lease: another process's change comes after it, and is noticed from the first moment.
        let sight = StoreSight(
            await store.watch(key), at: service.configuration.clock.secondsSince1970,
            interval: options.storeCheckInterval.inSeconds)
        published.withLock { $0.sight = sight }
    }
}
