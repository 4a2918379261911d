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
        record = record.applying(event)
        unsaved.append(event)
        if event.beginsEpoch {
            sideTokens = [:]
            lastRejected = nil
        }
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

    /// Takes over what another process stored since, and replays on it what happened here.
    func synchronize(with lease: any AuthStateLease) async throws {
        let stored = try await lease.load()
        guard stored?.version != storedVersion else { return }
        if let stored {
            let theirs = try AuthStateArchive(data: stored.archive).record.with(credential: record.credential)
            record = unsaved.reduce(theirs) { $0.applying($1) }
            notify(.adopted)
        } else {
            // Removed elsewhere: a logout. Only a login that happened here since then stands.
            unsaved.removeAll { !$0.beginsEpoch }
            if unsaved.isEmpty {
                record = record.applying(.loggedOut)
                notify(.adopted)
            }
        }
        storedVersion = stored?.version
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
    /// The state with the credential of this process, when it has one that cannot be archived.
    func with(credential: ClientCredential) -> Self {
        guard case .value = credential.source else { return self }
        var copy = self
        copy.credential = credential
        return copy
    }
}
