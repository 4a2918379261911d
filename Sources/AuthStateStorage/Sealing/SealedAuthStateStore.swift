public import AuthStateFoundation
import AuthStateOAuth

/// Seals the states of another store: archives leave this process encrypted and authenticated by AES-256-GCM.
///
/// A reader of the store learns a state's size and the name of its sealing key, and nothing else. A writer can remove a
/// state or put an older one of the same key back, but can neither change one nor move it under another key: such a
/// state is refused, and left as it was. Versions, leases and changes are those of the other store.
///
/// **Rotation.** The first key seals, all of them open. To take a new key, put it first and keep the old one behind it;
/// each state is sealed anew at its next save, or by ``reseal(_:deadline:)``. Take the old key away when none needs it.
/// Where several processes share the states, put the new key last in all of them before it comes first in any.
///
/// One key may be used for 2^31 saves over all states, as each seals twice; see ``SealingKey``.
public struct SealedAuthStateStore: AuthStateStore {
    private let base: any AuthStateStore
    private let keys: [SealingKey]
    private let opensUnsealed: Bool

    /// Makes a store that seals the states of another one.
    ///
    /// - Parameters:
    ///   - base: The store of the sealed states.
    ///   - keys: The key that seals, then older ones that still open.
    ///   - opensUnsealed: Whether states that were stored before sealing began are read too; they are sealed at their
    ///     next save. Set it only until all are: as long as it is set, any writer of the other store can add states.
    /// - Throws: `AuthStateError` with `.invalidArgument` when there is no key, or two have the same name.
    public init(_ base: any AuthStateStore, keys: [SealingKey], opensUnsealed: Bool = false) throws {
        guard !keys.isEmpty, Set(keys.map(\.id)).count == keys.count else {
            throw AuthStateError(
                .invalidArgument, stage: .store, "The list of sealing keys cannot be used.",
                expected: "at least one key, each with a name of its own",
                received: keys.isEmpty ? "no key" : keys.map(\.id).joined(separator: ", "), hint: SealingKey.recipe)
        }
        (self.base, self.keys, self.opensUnsealed) = (base, keys, opensUnsealed)
    }

    /// Reads and opens a state; nil when there is none under the key.
    ///
    /// - Throws: `AuthStateError`: `.storeUnreadable` when its sealing key is not in the list, or it is not sealed;
    ///   `.storeCorrupt` when it was changed or moved; `.storeTooNew`; the other store's errors.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        try await base.load(key).map { try opened($0, key) }
    }

    /// Runs a transaction under a lease of the other store, with the archives open.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - deadline: The time to wait for another holder; after it, `.storeLocked` is thrown.
    ///   - look: Called as the other store does.
    ///   - body: The transaction. It runs in the caller's isolation; the lease is released when it returns or throws.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await base.withLease(key, deadline: deadline, whileWaiting: look) { lease in
            try await body(SealedLease(store: self, key: key, base: lease))
        }
    }

    /// False: only holders of a key write what is opened. While unsealed states are read too, the other store's answer.
    public var mayBeWrittenByOthers: Bool { opensUnsealed && base.mayBeWrittenByOthers }

    /// The place in the store around which this one is.
    public func location(of key: AuthStateKey) -> String { base.location(of: key) }

    /// Lists the other store's states, with the keys themselves where that store knows only their digests: each sealed
    /// state has its own key sealed beside it. A state that was sealed by a version without this keeps the digest until
    /// its next save.
    ///
    /// - Throws: The other store's errors.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        var entries = try await base.entries(savedBefore: date)
        for index in entries.indices where entries[index].key.isDigest {
            try Task.checkCancellation()
            // An entry that cannot be read or opened is reported when its state is opened.
            let stored: StoredAuthState?
            do { stored = try await base.load(entries[index].key) } catch  where error.isAboutContent { continue }
            if let stored, let key = try? SealedArchive(data: stored.archive)?.openKey(with: keys) {
                entries[index].key = key
            }
        }
        return entries
    }

    /// Watches the other store.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { await base.watch(key) }

    /// Seals the state under a key anew, with the first sealing key and a nonce of its own; without a state, does
    /// nothing.
    ///
    /// - Throws: As `load(_:)` and a save.
    public func reseal(_ key: AuthStateKey, deadline: Duration = .seconds(30)) async throws {
        try await withLease(key, deadline: deadline) { lease in
            guard let stored = try await lease.load() else { return }
            _ = try await lease.save(stored.archive, expecting: stored.version)
        }
    }

    private func sealed(_ archive: Data, _ key: AuthStateKey) throws -> Data {
        try SealedArchive(sealing: archive, of: key, with: keys[0]).data
    }

    private func opened(_ stored: StoredAuthState, _ key: AuthStateKey) throws -> StoredAuthState {
        if let sealed = try SealedArchive(data: stored.archive) {
            return StoredAuthState(archive: try sealed.open(as: key, with: keys), version: stored.version)
        }
        guard opensUnsealed else { throw AuthStateError.storeNotSealed() }
        return stored
    }
}

extension SealedAuthStateStore {
    /// Returns the name of the key that stored bytes are sealed with; nil when they are not sealed. Nothing is opened, so
    /// that a program can choose where it gets the key.
    public static func sealingKeyID(of archive: Data) -> String? { try? SealedArchive(data: archive)?.keyID }

    /// The other store's lease, with the archives open.
    private struct SealedLease: AuthStateLease {
        let store: SealedAuthStateStore
        let key: AuthStateKey
        let base: any AuthStateLease

        var followsCrash: Bool { base.followsCrash }

        func load() async throws -> StoredAuthState? { try await base.load().map { try store.opened($0, key) } }

        func reserve() async throws { try await base.reserve() }

        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try await write(archive, expecting, isLast: false)
        }

        func saveLast(
            _ archive: Data, expecting: StoredAuthState.Version?
        ) async throws -> StoredAuthState.Version { try await write(archive, expecting, isLast: true) }

        private func write(
            _ archive: Data, _ expecting: StoredAuthState.Version?, isLast: Bool
        ) async throws -> StoredAuthState.Version {
            let sealed = try store.sealed(archive, key)
            do {
                return try await base.save(sealed, expecting: expecting, isLast: isLast)
            } catch let conflict as AuthStateError where conflict.code == .storeConflict {
                // The same archive again is no conflict: an earlier save may have failed after it had taken effect. The
                // store below cannot see that, because no archive is sealed alike twice.
                guard let found = try? await load(), found.archive == archive else { throw conflict }
                return try await base.save(sealed, expecting: found.version, isLast: isLast)
            }
        }

        func delete(expecting: StoredAuthState.Version?) async throws { try await base.delete(expecting: expecting) }

        func discard() async throws { try await base.discard() }
    }
}
