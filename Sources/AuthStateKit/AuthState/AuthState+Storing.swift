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
    /// - Parameter isCancellable: Whether the caller's cancellation ends the saving; a grant's goes on, which is in no other place.
    /// - Returns: The record that was stored, when a logout has ended its grant.
    /// - Throws: `AuthStateError` of kind `.store`.
    @discardableResult
    func commit(_ event: Event, isCancellable: Bool = true) async throws -> Record? {
        apply(event)
        let storing = Storing(endOf: event.endsGrant ? newest.grantID : nil)
        return try await reporting(event.bringsClient ? newest.grantID : nil) {
            if isCancellable, !event.bringsClient { return try await store(storing) }
            // A separate task, which the caller's cancellation does not reach; the lease has a deadline.
            return try await Task { try await store(storing) }.value
        }
    }

    private func store(_ storing: Storing) async throws -> Record? {
        try await transaction { try await perform(storing, under: $0) }
    }

    /// Saves changes that could not be saved before; does nothing when everything is saved.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; `CancellationError`.
    public func save() async throws {
        guard !ledger.isSaved else { return }
        do { _ = try await store(Storing()) } catch {
            // Another transaction in progress here saves everything, or reports why not.
            if work.transactions == 0 { change { $0.saveFailed(error) } }
            throw error
        }
    }

    /// Runs a save, and reports when it fails.
    ///
    /// - Parameter login: The grant whose own save it is, see `Ledger.saveFailed`.
    @discardableResult
    func reporting<R>(_ login: String? = nil, _ save: () async throws -> R) async throws -> R {
        do { return try await save() } catch {
            change { $0.saveFailed(error, of: login) }
            throw error
        }
    }

    /// Runs a transaction on the stored state, while no other process changes it.
    ///
    /// - Parameter look: Called when another process, which has the lease, may have stored something; a result is that of
    ///   the transaction.
    func transaction<R>(
        whileWaiting look: nonisolated(nonsending) () async throws -> R? = { nil },
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await store.withLease(key, deadline: options.leaseDeadline, whileWaiting: look) { lease in
            work.transactions += 1
            defer { work.transactions -= 1 }
            return try await body(lease)
        }
    }

    func apply(_ event: Event) {
        let stamp = stampNow()
        change { $0.apply(event, at: stamp) }
    }

    func stampNow() -> Stamp { newest.nextStamp(at: clock.now) }

    /// Adopts what another process stored since the last reading.
    func synchronize(with lease: any AuthStateLease) async throws {
        var (reading, found) = (ledger.reading(at: clock.now), try await lease.load())
        // Where a lease was lost, an operation of another transaction may have ended meanwhile, and may be the later one.
        while !ledger.isLatest(reading) { (reading, found) = (ledger.reading(at: clock.now), try await lease.load()) }
        try take(found, by: reading, isLeased: true, followsCrash: lease.followsCrash)
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
                case .delete(let end):
                    try await lease.delete(expecting: end.expected)
                    change { $0.deleted(end) }
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

    /// Saves unsaved changes, or reports why they could not be saved; they are saved later then.
    func persist(under lease: any AuthStateLease, of login: String? = nil) async {
        _ = try? await reporting(login) { try await perform(Storing(), under: lease, isRead: true) }
    }
}

extension AuthStateError {
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
