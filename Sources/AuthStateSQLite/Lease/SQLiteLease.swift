import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// The lock of a key and the place in the line, for as long as this is referred to: by the lease, and by each change in
/// progress, so that one that hangs keeps both.
final class Hold: Sendable {
    private let release: @Sendable () -> Void

    init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}

/// The transaction of a SQLite store.
///
/// Nothing is held in the database between its steps: the lock of the key excludes other holders.
final class SQLiteLease: AuthStateLease {
    private struct State {
        /// Nil when the lease is over.
        var hold: Hold?
        /// The reading that was made with the acquisition of the lock, for a lease that begins with `load`.
        var first: Result<StoredAuthState?, any Error>?
    }

    private let key: KeyHash
    private let store: SQLiteAuthStateStore
    private let locks: LockFile
    private let state: Lock<State>

    init(
        _ key: KeyHash, _ store: SQLiteAuthStateStore, _ locks: LockFile, _ hold: Hold,
        found: Result<StoredAuthState?, any Error>
    ) {
        (self.key, self.store, self.locks) = (key, store, locks)
        state = Lock(State(hold: hold, first: found))
    }

    /// Releases the lease as soon as no change of it is in progress.
    func end() {
        // Released behind the lock.
        _ = state.withLock { state in
            defer { state = State() }
            return state
        }
    }

    func load() async throws -> StoredAuthState? {
        let first = try enter().first
        if let first { return try first.get() }
        return try await store.load(key)
    }

    /// Tries a save, and takes it back: the space in the log that it took is left for the save.
    func reserve() async throws {
        let hold = try enter().hold
        try await store.writer.run(isTrial: true) { [key] connection in
            defer { withExtendedLifetime(hold) {} }
            try connection.reserve(key)
        }
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        let hold = try enter().hold
        guard archive.count <= StateFile.sizeLimit else {
            throw AuthStateError(
                .storeUnwritable, stage: .store, "The state is longer than the store takes.",
                expected: "\(StateFile.sizeLimit) bytes at most", received: "\(archive.count) bytes",
                hint: "Keep less in the state's annotations.")
        }
        return try await change(hold) { [key] in try $0.save(archive, key, expecting: expecting) }
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try await change(enter().hold) { [key] in try $0.remove(key, expecting: expecting, isAnyExpected: false) }
    }

    func discard() async throws {
        try await change(enter().hold) { [key] in try $0.remove(key, expecting: nil, isAnyExpected: true) }
    }

    private func change<R: Sendable>(
        _ hold: Hold?, _ body: @escaping @Sendable (Connection) throws -> R
    ) async throws -> R {
        try await store.writer.run(note: { [locks, key] in locks.count(key) }) { connection in
            defer { withExtendedLifetime(hold) {} }
            return try body(connection)
        }
    }

    /// Begins a step; the first reading is of use to the first one alone.
    private func enter() throws -> State {
        try state.withLock { state in
            guard state.hold != nil else { throw AuthStateError.leaseEnded() }
            defer { state.first = nil }
            return state
        }
    }
}
