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
        work.undecided = record.stamps.grant
        // The grant is in no other place: saving it continues when the caller is cancelled.
        try await reporting { try await Task { try await store() }.value }
    }

    private func store() async throws {
        try await transaction { state, lease in try await state.store(under: lease) }
    }

    /// Saves changes that could not be saved before; does nothing when everything is saved.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; `CancellationError`.
    public func save() async throws {
        guard !isSaved else { return }
        defer { publish() }
        do { try await store() } catch {
            // Another transaction in progress here saves everything, or reports why not.
            if work.transactions == 0 { report(unsaved: error) }
            throw error
        }
    }

    /// Runs a save, then publishes the saved state, or the unsaved one with the reason.
    @discardableResult
    func reporting<R>(_ save: () async throws -> R) async throws -> R {
        defer { publish() }
        do { return try await save() } catch {
            report(unsaved: error)
            throw error
        }
    }

    /// The stamps of the stored state.
    private var stored: Stamps { storedBox?.value.stamps ?? Stamps() }
    /// Whether the newest state is stored.
    var isSaved: Bool { record.stamps == stored }

    /// Runs a transaction on the stored state, while no other process changes it.
    func transaction<R: Sendable>(
        _ body: @Sendable (isolated AuthState, any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await store.withLease(key, deadline: options.leaseDeadline) { lease in
            try await self.count(lease, body)
        }
    }

    private func count<R: Sendable>(
        _ lease: any AuthStateLease, _ body: @Sendable (isolated AuthState, any AuthStateLease) async throws -> R
    ) async throws -> R {
        work.transactions += 1
        work.isReadUnderLease = false
        defer {
            work.transactions -= 1
            work.isReadUnderLease = false
        }
        return try await body(self, lease)
    }

    /// Reports that the state could not be saved.
    func report(unsaved error: any Error) {
        let error =
            error as? AuthStateError
            ?? AuthStateError(.storeUnwritable, stage: .store, "The state could not be saved.", underlying: error)
        (work.storeError, shownBox, work.undecided) = (Box(error), recordBox, nil)
        notify(.saveFailed(error))
    }

    /// Applies an event in memory.
    ///
    /// - Parameter stamp: The time of the decision; nil is now.
    func apply(_ event: Event, at stamp: Stamp? = nil) {
        adopt(Box(record.applying(event, at: stamp ?? stampNow())))
    }

    /// Returns the stamp of a decision made now.
    func stampNow() -> Stamp { record.nextStamp(at: service.configuration.clock.now) }

    /// Replaces the record; values that belong to another grant are forgotten.
    private func adopt(_ next: Box<Record>) {
        if next.value.grantID != record.grantID {
            work.sideTokens = [:]
            work.lastRejected = nil
        }
        recordBox = next
    }

    /// Adopts what another process stored since the last reading.
    ///
    /// - Returns: The stored state.
    @discardableResult
    func synchronize(with lease: any AuthStateLease) async throws -> StoredAuthState? {
        let begun = stampNow()
        let found = try await lease.load()
        try absorb(found, readAt: begun)
        // The store reports this until a save: whatever is saved next tells it too.
        if lease.followsCrash, !work.isReadUnderLease, let theirs = storedBox?.value, let token = theirs.refreshToken,
            token == record.refreshToken, theirs.grantID == record.grantID, record.unconfirmedRenewal == nil
        {
            apply(.renewalUnconfirmed)
        }
        (work.leasedSteps, work.isReadUnderLease) = (work.leasedSteps &+ 1, true)
        return found
    }

    /// Merges the stored state with this one, and publishes the result.
    ///
    /// - Parameter date: When the reading began.
    func absorb(_ found: StoredAuthState?, readAt date: Stamp) throws {
        if found?.version == storedVersion {
            if found != nil { work.storedAt = date }
            return
        }
        try merge(found)
        if found != nil { work.storedAt = date }
        notify(.adopted)
        publish()
    }

    /// Merges the stored state with this one; the caller publishes the result.
    func merge(_ found: StoredAuthState?) throws {
        if let found {
            var theirs = try environment.record(of: found).with(credentialOf: record).sharing(record)
            // The client that the program gave takes precedence over the one that a logout left.
            if record.stamps.grant == .never, theirs.isForgettable { theirs.keepClient(of: record) }
            if let login = work.undecided, record.stamps.grant == login, stored.grant != login,
                theirs.stamps.grant != login
            {
                record.decide(after: theirs)
                work.undecided = record.stamps.grant
            }
            let (mine, shown) = (record.merged(with: theirs), shownBox.value.merged(with: theirs))
            let box = Box(theirs)
            adopt(mine == theirs ? box : Box(mine))
            shownBox = shown == theirs ? box : Box(shown)
            knows(stored: box, found.version)
        } else {
            // Removed without a record of a logout: whatever was granted while it was still stored has ended.
            let end = Stamp(at: nil, after: max(stored.newest, work.storedAt.time))
            func after(_ box: Box<Record>) -> Box<Record> {
                let grant = box.value.stamps.grant
                guard storedBox != nil, grant < end, grant != work.undecided, !box.value.isLoggedOut else { return box }
                return Box(box.value.applying(.loggedOut, at: end))
            }
            adopt(after(recordBox))
            shownBox = after(shownBox)
            knows(stored: record.isLoggedOut ? recordBox : nil, nil)
        }
    }

    /// Notes what is stored; a login is decided as soon as it is.
    private func knows(stored box: Box<Record>?, _ version: StoredAuthState.Version?) {
        (storedBox, storedVersion) = (box, version)
        if stored.grant == work.undecided { work.undecided = nil }
    }

    /// Adopts the stored state, and saves the changes that are not stored.
    func store(under lease: any AuthStateLease) async throws {
        try await synchronize(with: lease)
        if !isSaved { try await save(under: lease) }
    }

    /// Saves under a lease that was synchronised with.
    ///
    /// Where this fails, `store` may succeed: a disk may fail once, or the lease of a store for several machines
    /// expired before the work under it was done, and another process has written.
    private func save(under lease: any AuthStateLease) async throws {
        // Changes made during the save are not in it.
        let (saved, begun) = (recordBox, stampNow())
        knows(stored: saved, try await lease.save(AuthStateArchive(saved.value).data(), expecting: storedVersion))
        (work.storedAt, work.leasedSteps) = (begun, work.leasedSteps &+ 1)
        // A state that was reported as unsaved stays visible.
        let shown = shownBox.value.merged(with: saved.value)
        shownBox = shown.stamps == stored ? saved : Box(shown)
        service.configuration.trace?.note(.store, "Saved the state", [.init("key", key.rawValue)])
    }

    /// Applies an event and saves it under the held lease, with a second try if necessary: it may be the last chance.
    ///
    /// When both tries fail, the error is reported and the event is saved later.
    func persist(_ event: Event, at stamp: Stamp? = nil, under lease: any AuthStateLease) async {
        apply(event, at: stamp)
        await persist(under: lease)
    }

    /// Saves unsaved changes, with a second try if necessary.
    func persist(under lease: any AuthStateLease) async {
        if !isSaved {
            do { try await save(under: lease) } catch {
                do { try await store(under: lease) } catch { report(unsaved: error) }
            }
        }
        publish()
    }

    /// Ends the grant, here at once and then in the store.
    ///
    /// - Returns: The record that was stored, when this call has ended its grant.
    @discardableResult
    func end(isCancellable: Bool = true) async throws -> Record? {
        apply(.loggedOut)
        publish()
        let grantID = record.grantID
        return try await reporting {
            // The caller's cancellation does not reach a separate task; the lease has a deadline.
            let task = Task { try await transaction { try await $0.end(grantID, under: $1) } }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                if isCancellable { task.cancel() }
            }
        }
    }

    /// Saves the end of a grant over the stored state, readable or not.
    ///
    /// - Returns: The record that was stored, when this call has ended its grant.
    @discardableResult
    func end(_ grantID: String, under lease: any AuthStateLease) async throws -> Record? {
        var ended: Record?
        do {
            ended = try await synchronize(with: lease).map { try environment.record(of: $0) }
        } catch {
            // A state that can never be read is removed all the same, but with no later login, and no registration: it is
            // stored nowhere else.
            guard record.grantID == grantID, record.lastRegistrationResponse == nil, error.isAboutContent else {
                throw error
            }
            try await lease.discard()
            knows(stored: nil, nil)
            work.leasedSteps &+= 1
        }
        if record.grantID != grantID { ended = nil }
        if storedVersion == nil, record.isForgettable {
            storedBox = recordBox
        } else if !isSaved {
            try await saveOrRemove(under: lease)
        }
        return ended
    }

    /// Saves; where that fails, for example on a full disk, an ended grant is removed instead, unless a registration would go
    /// with it.
    private func saveOrRemove(under lease: any AuthStateLease) async throws {
        let end = recordBox
        do { try await save(under: lease) } catch {
            guard end.value.isForgettable else { throw error }
            try await lease.delete(expecting: storedVersion)
            knows(stored: end, nil)
            work.leasedSteps &+= 1
        }
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
