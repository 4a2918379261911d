import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Applies an event, saves, publishes.
    ///
    /// The event takes effect at once: a renewal in progress sees it. When saving fails, the state is kept in memory
    /// and saved with the next change.
    ///
    /// - Throws: `AuthStateError` of kind `.store`.
    func commit(_ event: Event) async throws {
        apply(event)
        guard event.bringsClient else { return try await reporting { try await store() } }
        // The grant is in no other place: saving it continues when the caller is cancelled.
        try await reporting(newest.grantID) { try await Task { try await store() }.value }
    }

    private func store() async throws {
        _ = try await transaction { state, lease in try await state.perform(Storing(), under: lease) }
    }

    /// Saves changes that could not be saved before; does nothing when everything is saved.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; `CancellationError`.
    public func save() async throws {
        guard !ledger.isSaved else { return }
        do { try await store() } catch {
            // Another transaction in progress here saves everything, or reports why not.
            if work.transactions == 0 { report(unsaved: error) }
            throw error
        }
    }

    /// Runs a save, and reports when it fails.
    ///
    /// - Parameter login: The grant whose own save it is, see `Ledger.saveFailed`.
    @discardableResult
    func reporting<R>(_ login: String? = nil, _ save: () async throws -> R) async throws -> R {
        do { return try await save() } catch {
            report(unsaved: error, of: login)
            throw error
        }
    }

    /// Runs a transaction on the stored state, while no other process changes it.
    ///
    /// - Parameter look: Called when another process, which has the lease, may have stored something; a result is that of
    ///   the transaction.
    func transaction<R: Sendable>(
        whileWaiting look: @Sendable (isolated AuthState) async throws -> R? = { _ in nil },
        _ body: @Sendable (isolated AuthState, any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await store.withLease(key, deadline: options.leaseDeadline, whileWaiting: { try await look(self) }) {
            lease in
            try await self.count(lease, body)
        }
    }

    private func count<R: Sendable>(
        _ lease: any AuthStateLease, _ body: @Sendable (isolated AuthState, any AuthStateLease) async throws -> R
    ) async throws -> R {
        work.transactions += 1
        defer { work.transactions -= 1 }
        return try await body(self, lease)
    }

    /// Reports that the state could not be saved.
    func report(unsaved error: any Error, of login: String? = nil) {
        let error = AuthStateError(unsaved: error)
        change { $0.saveFailed(error, of: login) }
    }

    /// Applies an event in memory.
    ///
    /// - Parameter stamp: The time of the decision; nil is now.
    func apply(_ event: Event, at stamp: Stamp? = nil) {
        let stamp = stamp ?? stampNow()
        change { $0.apply(event, at: stamp) }
    }

    /// Returns the stamp of a decision made now.
    func stampNow() -> Stamp { newest.nextStamp(at: now) }

    private var now: Date { service.configuration.clock.now }

    /// Adopts what another process stored since the last reading.
    ///
    /// - Returns: The stored state.
    @discardableResult
    func synchronize(with lease: any AuthStateLease) async throws -> StoredAuthState? {
        var (reading, found) = (ledger.reading(at: now), try await lease.load())
        // Where a lease was lost, an operation of another transaction may have ended meanwhile, and may be the later one.
        while !ledger.isLatest(reading) { (reading, found) = (ledger.reading(at: now), try await lease.load()) }
        try take(found, by: reading, isLeased: true, followsCrash: lease.followsCrash)
        return found
    }

    /// Takes in what a reading found.
    func take(
        _ found: StoredAuthState?, by reading: Ledger.Reading, isLeased: Bool = false, followsCrash: Bool = false
    ) throws {
        try change {
            try $0.found(found?.version, by: reading, isLeased: isLeased, followsCrash: followsCrash) {
                [environment] ours in
                try found.map { try environment.record(of: $0).with(credentialOf: ours).sharing(ours) }
            }
        }
    }

    /// Stores what is not stored yet; parameters and result are those of `Storing`.
    @discardableResult
    func perform(_ storing: Storing, under lease: any AuthStateLease, isRead: Bool = false) async throws -> Record? {
        var storing = storing
        var step = storing.begin(ledger, isRead: isRead)
        while true {
            var failure: (any Error)?
            do {
                switch step {
                case .load: try await synchronize(with: lease)
                case .save: try await save(under: lease)
                case .delete(let end): try await delete(end, under: lease)
                case .discard(let end):
                    try await lease.discard()
                    change { $0.deleted(end) }
                case .finish: break
                }
            } catch { failure = error }
            if case .finish(let result) = step { return try result.get() }
            step = storing.next(failure, ledger)
        }
    }

    /// Saves once, under a lease that was synchronised with.
    func save(under lease: any AuthStateLease, isLast: Bool = false) async throws {
        // Changes made during the save are not in it.
        let writing = ledger.writing
        let data = try AuthStateArchive(writing.record.value).data()
        let version = try await lease.save(data, expecting: writing.expected, isLast: isLast)
        try change { try $0.saved(writing, as: version) }
        service.configuration.trace?.note(.store, "Saved the state", [.init("key", key.rawValue)])
    }

    /// Applies an event and saves it under the held lease: it may be the last chance.
    ///
    /// When that fails, the error is reported and the event is saved later.
    func persist(_ event: Event, at stamp: Stamp? = nil, under lease: any AuthStateLease) async {
        apply(event, at: stamp)
        await persist(under: lease)
    }

    /// Saves unsaved changes, or reports why they could not be saved.
    func persist(under lease: any AuthStateLease) async {
        _ = try? await reporting { try await perform(Storing(), under: lease, isRead: true) }
    }

    /// Ends the grant, here at once and then in the store.
    ///
    /// - Returns: The record that was stored, when this call has ended its grant.
    @discardableResult
    func end(isCancellable: Bool = true) async throws -> Record? {
        apply(.loggedOut)
        let grantID = newest.grantID
        return try await reporting {
            // The caller's cancellation does not reach a separate task; the lease has a deadline.
            let task = Task { try await transaction { try await $0.perform(Storing(endOf: grantID), under: $1) } }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                if isCancellable { task.cancel() }
            }
        }
    }

    /// Deletes the stored record in place of an end that is saved.
    func delete(_ end: Ledger.Writing, under lease: any AuthStateLease) async throws {
        try await lease.delete(expecting: end.expected)
        change { $0.deleted(end) }
    }
}

extension AuthStateError {
    /// Makes the error of a state that could not be saved.
    init(unsaved error: any Error) {
        self =
            error as? AuthStateError
            ?? AuthStateError(.storeUnwritable, stage: .store, "The state could not be saved.", underlying: error)
    }
}

extension AuthState.Record {
    /// Returns the state with the credential of this process, when one of the two cannot be archived, or the program
    /// vouches for it. The state of another client or provider gets none of this process's secrets.
    func with(credentialOf ours: Self) -> Self {
        let (mine, theirs) = (client, ours.client)
        guard mine.id == theirs.id, mine.provider.issuer == theirs.provider.issuer else { return self }
        var copy = self
        if theirs.credential.isInMemory || theirs.credential.isGiven
            || mine.credential.isInMemory && !theirs.credential.isIssued
        {
            copy.client.credential = theirs.credential
        }
        if let grant = machineGrant, let own = ours.machineGrant, let proof = own.proof,
            grant.isOfSameParty(as: own), grant.proof?.isInMemory == true || proof.isGiven
        {
            copy.machineGrant?.proof = proof
        }
        return copy
    }
}

extension ClientCredential {
    /// Whether the program gave the credential, with or without a destination; the stored one does not replace it.
    fileprivate var isGiven: Bool {
        switch custody {
        case .provider, .none: true
        case .request, .unnamed: false
        }
    }

    /// Whether a registration issued it: it is sent where the archive that contains it says.
    fileprivate var isIssued: Bool { if case .issued = source { true } else { false } }
}
