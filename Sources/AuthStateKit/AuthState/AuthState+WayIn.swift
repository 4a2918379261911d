import AuthStateOAuth

extension AuthState {
    /// What all ways into a state have in common: how the client authenticates, and where the state will be kept.
    ///
    /// Each way is a function of it, beside the public one that has the same in its parameters; a pool's have it too.
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

        /// From the parameters that the public functions have in common, in their order.
        init(
            _ credential: ClientCredential, _ service: AuthorizationService, _ store: any AuthStateStore,
            _ key: AuthStateKey, _ annotations: [String: String], _ options: Options
        ) {
            self.init(credential, in: Surroundings(service: service, store: store, options: options), key, annotations)
        }
    }
}

extension AuthState.WayIn {
    /// A new state, saved over whatever was stored under the key.
    ///
    /// The store is tried before anything is granted, so that no grant is lost for want of a writable place.
    ///
    /// - Parameter grant: Gets something granted: what is known of the client, and what happened.
    /// - Throws: What the grant throws; `AuthStateError` of kind `.store` before it. A last save that fails is no error.
    func state(
        after grant: () async throws -> (AuthState.Record, AuthState.Event)
    ) async throws -> AuthState {
        try await tryStore()
        let (record, event) = try await grant()
        return await state(record, event)
    }

    /// A new state, saved over whatever was stored under the key, or kept in memory with the reason.
    func state(_ record: AuthState.Record, _ event: AuthState.Event) async -> AuthState {
        let state = AuthState(surroundings.vouched(record), in: surroundings, key: key)
        // A task of its own, which nobody's cancellation reaches: what was granted is not to be lost.
        await Task { await state.begin(with: event) }.value
        return state
    }

    /// What is known of a client before anything is granted.
    func record(
        _ configuration: ServiceConfiguration, _ clientID: String, dpopKey: DPoPKey? = nil
    ) -> AuthState.Record {
        var record = AuthState.Record(configuration: configuration, clientID: clientID, credential: credential)
        record.annotations = annotations
        record.dpopKey = dpopKey
        return record
    }

    /// Finds out whether the store can be written, and holds nothing that would be lost, before anything is redeemed.
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
    /// Saves a first grant over what is stored, and counts its epoch on from there.
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
        // A login by a registered client keeps what was registered, and authenticates as the program says.
        let credential = record.credentialBox
        try merge(stored)
        record.credentialBox = credential
        await persist(under: lease)
        // Still under the lease: another process's change comes after it, and is noticed from the first moment.
        let sight = StoreSight(
            await store.watch(key), at: service.configuration.clock.secondsSince1970,
            interval: options.storeCheckInterval)
        published.withLock { $0.sight = sight }
    }
}
