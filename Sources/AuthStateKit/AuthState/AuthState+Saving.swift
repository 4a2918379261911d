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
            try await store.withLease(key, deadline: options.leaseDeadline) { lease in
                try await self.synchronize(with: lease)
                try await self.save(under: lease)
            }
        } catch let error as AuthStateError {
            notify(.saveFailed(error))
            throw error
        }
    }

    /// Applies an event in memory and notes it for the next save.
    func apply(_ event: Event) {
        let grantID = event.beginsEpoch ? Self.newGrantID() : record.grantID
        adopt(record.applying(event, grantID: grantID))
        unsaved.append(Change(event: event, grantID: grantID))
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
        let stored = try await lease.load()
        guard stored?.version != storedVersion else { return }
        var base = record
        if let stored {
            base = try AuthStateArchive(data: stored.archive).record.with(credential: record.credential)
            if unsaved.isEmpty, base.isOlder(than: record) {
                // Somebody put a copy back, whose refresh token has been spent: what is known here is put in its place.
                storedVersion = stored.version
                return try await save(under: lease)
            }
            // What happened here to another grant than theirs has no place on it; a grant that began here does.
            unsaved = Array(unsaved.drop { !$0.event.beginsEpoch && $0.grantID != base.grantID })
        } else {
            // Removed elsewhere: a logout. Only a grant that began here since then stands.
            unsaved = Array(unsaved.drop { !$0.event.beginsEpoch })
            if unsaved.isEmpty { base = record.applying(.loggedOut) }
        }
        adopt(unsaved.reduce(base) { $0.applying($1.event, grantID: $1.grantID) })
        storedVersion = stored?.version
        notify(.adopted)
        if unsaved.isEmpty { publish() }
    }

    /// Writes the state; the lease must have been synchronised with.
    func save(under lease: any AuthStateLease) async throws {
        let count = unsaved.count
        let data = try AuthStateArchive(record).data()
        storedVersion = try await lease.save(data, expecting: storedVersion)
        // What was added while the save was under way is not in it.
        unsaved.removeFirst(min(count, unsaved.count))
    }
}

extension AuthState.Record {
    /// Whether this is an earlier state of the same grant.
    func isOlder(than other: Self) -> Bool { grantID == other.grantID && revision < other.revision }

    /// The state with the credential of this process, when one of the two cannot be archived.
    func with(credential ours: ClientCredential) -> Self {
        var copy = self
        if case .value = ours.source { copy.credential = ours }
        if case .value = credential.source { copy.credential = ours }
        return copy
    }
}
