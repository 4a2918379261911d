import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthState {
    /// Applies an event, saves, publishes.
    ///
    /// The event counts at once: a renewal that is under way sees it. When saving fails the state is kept in memory and
    /// saved with the next change.
    ///
    /// - Throws: `AuthStateError` of kind `.store`.
    func commit(_ event: Event) async throws {
        apply(event)
        defer { publish() }
        do {
            // What was granted is in no other place: saving it goes on when the caller is cancelled.
            guard event.bringsClient else { return try await reconcile() }
            try await Task { try await reconcile() }.value
        } catch {
            report(unsaved: error)
            throw error
        }
    }

    private func reconcile() async throws {
        try await transaction { state, lease in try await state.reconcile(with: lease) }
    }

    /// Saves what could not be saved before; without effect when everything is.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; `CancellationError`.
    public func save() async throws {
        guard !unsaved.isEmpty else { return }
        defer { publish() }
        do { try await reconcile() } catch {
            report(unsaved: error)
            throw error
        }
    }

    /// Runs a transaction on what is stored, while nobody else changes it.
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
        transactions += 1
        transactionsBegun &+= 1
        defer { transactions -= 1 }
        return try await body(self, lease)
    }

    /// Says that the state could not be saved.
    func report(unsaved error: any Error) {
        let error =
            error as? AuthStateError
            ?? AuthStateError(.storeUnwritable, stage: .store, "The state could not be saved.", underlying: error)
        storeError = error
        notify(.saveFailed(error))
    }

    /// Applies an event in memory and notes it for the next save.
    func apply(_ event: Event) {
        let grantID = event.beginsEpoch ? Self.newGrantID() : record.grantID
        unsaved.append(
            Change(
                event: event, grantID: grantID, previousGrantID: record.grantID,
                date: event.issuedAt ?? service.configuration.clock.now))
        adopt(record.applying(event, grantID: grantID))
    }

    /// Takes a record over; what belonged to another grant is forgotten.
    private func adopt(_ next: Record) {
        if next.grantID != record.grantID {
            sideTokens = [:]
            lastRejected = nil
        }
        record = next
    }

    /// Takes over what another process stored since, and replays on it what happened here.
    func synchronize(with lease: any AuthStateLease) async throws {
        if try absorb(await lease.load()), unsaved.isEmpty { publish() }
    }

    /// Takes over what another process stored, and replays on it what happened here; false when it stored nothing new.
    func absorb(_ stored: StoredAuthState?) throws -> Bool {
        guard stored?.version != storedVersion else { return false }
        var base = record
        if let stored {
            base = try surroundings.record(of: stored)
                .with(credentialOf: record).sharing(record)
            if base.isOlder(than: storedAge) {
                // Somebody put a copy back, whose refresh token has been spent: the next save takes its place.
                storedVersion = stored.version
                return false
            }
            dropVoidChanges(on: base)
            unsaved.removeAll { $0.isOlder(than: base) }
            if unsaved.contains(where: \.event.bringsClient) { base.takeClient(of: record) }
        } else {
            // Removed elsewhere: a logout. Only a grant that began here since then stands.
            dropVoidChanges(on: nil)
            if unsaved.isEmpty { base = record.applying(.loggedOut) }
        }
        adopt(replayed(on: base))
        storedVersion = stored?.version
        storedAge = base.age
        if unsaved.isEmpty { storeError = nil }
        notify(.adopted)
        return true
    }

    /// Leaves what has a place on what is stored: all from the first change on that has one; those of a registration, which
    /// do not tell anything of the grant, each by itself.
    private func dropVoidChanges(on stored: Record?) {
        var stands = false
        unsaved = unsaved.filter { change in
            if case .registrationChanged = change.event { return !change.isVoid(on: stored) }
            stands = stands || !change.isVoid(on: stored)
            return stands
        }
    }

    /// What happened here, on top of what is stored; what has no effect there need not be saved.
    private func replayed(on base: Record) -> Record {
        var next = base
        unsaved = unsaved.filter { change in
            var before = next
            if case .tokens = change.event, before.grantID != change.previousGrantID {
                // They continue a login of ours: of another's nothing may stay beside them.
                before.clearGrant()
                before.takeClient(of: record)
                before.scope = record.scope
                before.lastAuthorizationResponse = record.lastAuthorizationResponse
            }
            next = before.applying(change.event, grantID: change.grantID)
            return next.revision != before.revision
        }
        return next
    }

    /// Takes over what is stored, and saves what is left to be saved.
    func reconcile(with lease: any AuthStateLease) async throws {
        try await synchronize(with: lease)
        // Nothing is when another process has ended the grant: what it removed is not to come back, if only empty.
        if !unsaved.isEmpty { try await save(under: lease) }
    }

    /// Saves under a lease that was synchronised with.
    ///
    /// Where it fails, `reconcile` may not: a disk errs once, or the lease of a store for several machines ended before the
    /// work under it did, and somebody has written.
    func save(under lease: any AuthStateLease) async throws {
        let (count, age) = (unsaved.count, record.age)
        let data = try AuthStateArchive(record).data()
        storedVersion = try await lease.save(data, expecting: storedVersion)
        storedAge = age
        // What was added while the save was under way is not in it.
        unsaved.removeFirst(min(count, unsaved.count))
        // Such a change may have been given up already, and nobody but the error says that it is to be saved.
        if unsaved.isEmpty { storeError = nil }
        service.configuration.trace?.note(.store, "Saved the state", [.init("key", key.rawValue)])
    }
}

extension AuthState.Change {
    /// Whether this has no place on what another process stored, or on nothing after a logout there.
    ///
    /// What happened here to another grant than theirs has none; a grant that began here has, and so has its end, unless
    /// the grant that it replaced has made way for one that was given later.
    func isVoid(on stored: AuthState.Record?) -> Bool {
        // It was stored after all: a disk may err after it wrote. What came after it there is not to be undone.
        if event.beginsEpoch, grantID == stored?.grantID { return true }
        switch event {
        // A registration is its client's, whatever was granted to that meanwhile.
        case .registrationChanged(let response, _): return stored?.clientID != response.clientID
        case .registrationDeleted(let clientID): return stored?.clientID != clientID
        // Its secret is nowhere else, unless it was stored after all, and perhaps managed there since.
        case .registered(let response):
            return stored?.lastRegistrationResponse.map {
                $0.clientID == response.clientID && $0.registrationClientURI == response.registrationClientURI
            } ?? false
        // The tokens that follow belong to it alone.
        case .authorized: return false
        case .loggedOut where stored == nil: return true
        case .loggedOut, .loggedIn, .tokens:
            return previousGrantID != stored?.grantID && stored?.isGranted(after: date) == true
        default: return grantID != stored?.grantID
        }
    }

    /// Whether what is stored outlasts this end of a grant: a registration, which the next login needs, or a later grant.
    func spares(_ stored: AuthState.Record) -> Bool {
        if case .loggedOut = event, stored.lastRegistrationResponse != nil { return true }
        return isVoid(on: stored)
    }

    /// Whether this came of a renewal, and somebody renewed the same grant after it: theirs is the newer refresh token then.
    func isOlder(than stored: AuthState.Record) -> Bool {
        guard event.comesOfRenewal, grantID == stored.grantID else { return false }
        return [stored.lastTokenResponse?.issuedAt, stored.refreshTokenIssuedAt].contains {
            $0.map { $0 > date } ?? false
        }
    }
}

extension AuthState.Record {
    /// Whether the grant was given after a moment; archives that do not say when tell of its last renewal only.
    func isGranted(after date: Date) -> Bool {
        (grantedAt ?? lastTokenResponse?.issuedAt).map { $0 > date } ?? false
    }

    /// Which state of which grant this is.
    struct Age: Sendable {
        var grantID: String
        var revision: Int
    }

    var age: Age { Age(grantID: grantID, revision: revision) }

    /// Whether this is an earlier state of the same grant.
    func isOlder(than other: Age) -> Bool { grantID == other.grantID && revision < other.revision }

    /// The state with the credential of this process, when one of the two cannot be archived, or the program vouches for it;
    /// another client's or provider's state gets to see no secret of ours.
    func with(credentialOf ours: Self) -> Self {
        guard clientID == ours.clientID, configuration.issuer == ours.configuration.issuer else { return self }
        var copy = self
        if ours.credential.isInMemory || ours.credential.isGiven || credential.isInMemory {
            copy.credential = ours.credential
        }
        if let key = jwtBearer?.key, let grant = ours.jwtBearer, grant.issuer == jwtBearer?.issuer,
            key.isInMemory || grant.key.isGiven
        {
            copy.jwtBearer?.key = grant.key
        }
        return copy
    }

    /// Becomes a state of another record's client at its provider.
    fileprivate mutating func takeClient(of other: Self) {
        let (registration, issuer) = (lastRegistrationResponse, configuration.issuer)
        configuration = other.configuration
        clientID = other.clientID
        credential = other.credential
        machineGrant = other.machineGrant
        dpopKey = other.dpopKey
        resources = other.resources
        annotations = other.annotations
        lastRegistrationResponse = other.lastRegistrationResponse
        // What another process got for the same client since is nowhere else.
        guard let registration, registration.clientID == clientID, issuer == configuration.issuer,
            registration != other.lastRegistrationResponse
        else { return }
        lastRegistrationResponse = registration
        guard other.lastRegistrationResponse != nil else { return }
        configuration = configuration.adapted(to: registration)
        if case .issued = credential.source { credential = registration.credential(replacing: credential) }
    }
}

extension ClientCredential {
    /// Whether the program gave it, and said or did not say where it may go; what is stored does not replace it.
    fileprivate var isGiven: Bool {
        switch custody {
        case .provider, .none: true
        case .request, .unnamed: false
        }
    }

    /// Whether it is, or was, in the memory of a process alone.
    fileprivate var isInMemory: Bool { if case .value = source { true } else { false } }
}
