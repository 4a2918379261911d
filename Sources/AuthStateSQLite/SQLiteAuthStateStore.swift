public import AuthStateFoundation
public import AuthStateOAuth
public import AuthStateStorage
import AuthStateSystem

/// Keeps many states in one SQLite database, for the processes of one machine that share them.
///
/// A save is one durable transaction in a write-ahead log; saves that come at the same time share one. A lease is a lock of the
/// operating system's in a file beside the database: it ends with the process that holds it, and nothing of the database is held
/// during a request to the provider. The files are the database, its log (`-wal`), SQLite's shared memory (`-shm`) and the locks
/// (`.lock`), however many states there are; only the user can read them. Remove all four together, while no program uses them.
///
/// What is replaced or deleted is overwritten in the database (`secure_delete`). The log keeps it until it is written over, some four
/// megabytes of changes later, or until the last store of the database is released. Seal the states with `SealedAuthStateStore`
/// where others can read the disk or its backups.
///
/// A file system that hangs holds up no task: a load or a function of a lease throws after 30 seconds, `withLease` at its deadline,
/// but not before 5 seconds. A save that was given up may still be finished; until then the lease excludes others.
///
/// The system's SQLite is found at run time. Not for the containers of iOS app groups, because the system ends an app that is
/// suspended while it holds a lock; not for network file systems, nor for several machines.
public final class SQLiteAuthStateStore: AuthStateStore {
    private struct Place: Hashable {
        let path: String
        let key: KeyHash
    }

    /// In one process tasks queue up here in order, so that a single one at a time tries for the lock.
    private static let line = WaitingLine<Place>()
    /// The longest silence of the file system in a load, or in a function of a lease.
    private static let patience = Duration.seconds(30)
    /// The shortest time that a lease waits for the file system, even beyond its deadline.
    private static let leastPatience = Duration.seconds(5)

    let writer: Writer
    private let database: Database
    private let work: BlockingWork
    private let clock: any Clock<Duration>

    /// Makes a store; the file and its folder are created by the first save.
    ///
    /// - Parameters:
    ///   - file: A path; a relative one is taken from the current folder now, `~/` means the home folder.
    ///   - clock: Measures the deadlines of leases.
    ///   - onWarning: Called once for a file that other users can read (`.storeExposed`): a warning, not a failure. Called from a
    ///     thread of the store.
    /// - Throws: `AuthStateError` with `.libraryUnavailable` when SQLite is not installed, `.invalidArgument` for a path that is
    ///   empty, has a NUL character or begins with another user's home folder.
    public init(
        file: String, clock: any Clock<Duration> = ContinuousClock(),
        onWarning: (@Sendable (AuthStateError) -> Void)? = nil
    ) throws {
        try SQLiteLibrary.open()
        let path = FilePath.absolute(file)
        try FilePath.check(path)
        database = Database(path, FileWarnings(report: onWarning))
        work = BlockingWork(label: "AuthStateKit.SQLiteAuthStateStore", clock: clock)
        writer = Writer(database, work, patience: Self.patience)
        self.clock = clock
    }

    /// False: a file or folder that another user owns, or can change, is refused with `.storeUntrusted`.
    public var mayBeWrittenByOthers: Bool { false }

    /// The path of the database.
    public func location(of key: AuthStateKey) -> String { "the database \(database.path), under \(key.inWords)" }

    /// Reads a state without a lease; nil when there is none under the key. Creates no database.
    ///
    /// - Throws: `AuthStateError`: `.storeUnreadable`, `.storeUntrusted`, `.storeCorrupt`, `.storeTooNew`, or `.storeLocked` when
    ///   another program has the database for itself.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await load(KeyHash(key)) }

    func load(_ key: KeyHash) async throws -> StoredAuthState? {
        try await reading { try $0.read { try $0.state(key) } ?? nil }
    }

    /// Lists the states that were saved last before a moment; entries have the keys' digests.
    ///
    /// - Throws: As `load(_:)`.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        try await reading { try $0.read { try $0.entries(savedBefore: date.timeIntervalSince1970) } ?? [] }
    }

    private func reading<R: Sendable>(_ body: @escaping @Sendable (Database) throws -> R) async throws -> R {
        try await work.run(within: Self.patience, orThrow: .storeSilent(.storeUnreadable, self.database.path)) {
            [database] in try body(database)
        }
    }

    /// Begins to watch a key: a change by any process shows at once. Nil before the first lease, and on Apple's platforms.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? {
        #if canImport(Darwin)
            nil
        #else
            guard let key = try? KeyHash(key) else { return nil }
            return try? await reading { ChangeWatch(key, in: try $0.locks(creating: false)) }
        #endif
    }

    /// Runs a transaction under a lease that excludes every other holder of the key, in this process or another.
    ///
    /// Within a process waiters take turns in the order in which they came; among processes there is no order. A
    /// process that has the lease and changes the state has `look` called, whose result ends the wait. A save that the body began
    /// is finished even when its task is cancelled; the lease is released when the body returns or throws.
    ///
    /// - Throws: `AuthStateError` with `.storeLocked` at the deadline, `.storeUnwritable` when the lock file cannot be
    ///   created; `CancellationError` when cancelled while waiting; the errors of the body.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let (key, deadline) = (try KeyHash(key), Deadline(after: deadline, on: clock))
        let place = Place(path: database.path, key: key)
        try await Self.line.enter(
            place, until: deadline, orThrow: AuthStateError.storeLocked("\(place.path), \(key.text)"))
        let turn = Hold { Self.line.leave(place) }
        var pause = 0.004
        var seen: UInt64?
        while true {
            let lease: SQLiteLease
            switch try await attempt(key, turn, patience: max(deadline.remaining, Self.leastPatience)) {
            case .lease(let acquired): lease = acquired
            case .held(let generation):
                if seen ?? generation != generation, let result = try await look() { return result }
                seen = generation
                guard deadline.remaining > .zero else { throw AuthStateError.storeLocked("\(place.path), \(key.text)") }
                try await deadline.sleep(atMost: .seconds(pause * Double.random(in: 0.5...1)))
                pause = min(pause * 2, 0.1)
                continue
            }
            defer { lease.end() }
            return try await body(lease)
        }
    }

    private enum Attempt: Sendable {
        case lease(SQLiteLease)
        /// Another process has the lock; the number changes with what is stored.
        case held(UInt64)
    }

    /// Tries for the lock, and reads the state under it.
    ///
    /// A lock that is acquired after the caller stopped waiting for the disk is released at once.
    private func attempt(_ key: KeyHash, _ turn: Hold, patience: Duration) async throws -> Attempt {
        try await work.run(within: patience, orThrow: .storeSilent(.storeUnwritable, self.database.path)) { [self] in
            while true {
                let locks = try database.locks(creating: true)
                guard try locks.tryLock(key) else { return .held(locks.generation(of: key)) }
                let hold = Hold {
                    locks.unlock(key)
                    withExtendedLifetime(turn) {}
                }
                // A lock on a file that was removed meanwhile excludes no other process.
                guard locks.isCurrent else { continue }
                // What cannot be read can only be discarded.
                let found = Result { try database.read { try $0.state(key) } ?? nil }
                return .lease(SQLiteLease(key, self, locks, hold, found: found))
            }
        }
    }
}
