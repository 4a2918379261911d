import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

/// A lease that keeps the index: a session is in it before its state is stored, and leaves it after the state has ended.
struct IndexedLease: AuthStateLease {
    let base: any AuthStateLease
    let key: AuthStateKey
    let index: SessionIndex
    /// What is stored, as far as this lease has read or written it.
    private let known = Known()

    /// Shared by the copies of a lease.
    private final class Known: Sendable {
        let archive = Lock<Data?>(nil)
    }

    init(base: any AuthStateLease, key: AuthStateKey, index: SessionIndex) {
        (self.base, self.key, self.index) = (base, key, index)
    }

    var followsCrash: Bool { base.followsCrash }

    func load() async throws -> StoredAuthState? {
        let stored = try await base.load()
        known.archive.withLock { $0 = stored?.archive }
        return stored
    }

    func reserve() async throws { try await base.reserve() }

    // No last save: the entries are written after the state, and before another holder changes both.
    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        // One that cannot be read would be stored without its entries; other bytes are no state.
        let record = try AuthStateArchive.isArchive(archive) ? AuthStateArchive(data: archive).record : nil
        let (before, after) = (stored, IndexedSession(record))
        let isSameLogin = before.session.grant == after.session.grant
        if !isSameLogin {
            // Also for a cancelled caller: what is saved may be the only copy of the tokens.
            try await Task { [index, key] in
                for name in after.names { try await index.add(key, after.session, to: name) }
            }.value
        }
        let version = try await base.save(archive, expecting: expecting)
        known.archive.withLock { $0 = archive }
        if isSameLogin {
            // A renewal waits for no entry. One that lacks the session gets it: stored without the index, or with a new `sid`.
            await index.repair(key, after.session, in: after.names)
        } else {
            await index.remove(key, from: before.names.subtracting(after.names))
        }
        return version
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        let before = stored
        try await base.delete(expecting: expecting)
        await forget(before)
    }

    func discard() async throws {
        _ = try? await load()
        let before = stored
        try await base.discard()
        await forget(before)
    }

    private var stored: IndexedSession { IndexedSession(archive: known.archive.withLock { $0 }) }

    private func forget(_ session: IndexedSession) async {
        known.archive.withLock { $0 = nil }
        await index.remove(key, from: session.names)
    }
}
