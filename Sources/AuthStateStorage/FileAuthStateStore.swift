public import AuthStateFoundation
public import AuthStateOAuth
import AuthStateSystem

/// Keeps each state in a file of its own that only the user can read, safe against crashes and other processes.
///
/// A save writes a temporary file beside the real one, brings it to the disk, then renames it: a reader sees the old
/// content or the new, never a part. Files have the permissions 0600, folders that the store creates 0700. Symbolic
/// links are followed: what they point to is locked and replaced, the links stay. A state that cannot be read is never
/// overwritten.
///
/// A lease locks `<file>.lock` beside the file with `flock`, for other processes too. The lock file says what was saved
/// last, so that the next holder of the lock can finish what a crash interrupted; it goes with the state, and a lease under
/// which nothing is saved leaves none.
///
/// A file system that hangs holds up no task, and other keys only when eight calls hang: a load or a function of a lease
/// throws after 30 seconds, `withLease` at its deadline, but not before 5 seconds. A save that was given up may still be
/// finished; until then the lease excludes others.
///
/// Not for the containers of iOS app groups: the system ends an app that is suspended while it holds a file lock. Use
/// `KeychainAuthStateStore` there, and in apps at all. Not for network file systems without locks, nor for several machines.
///
/// On iOS files have the protection class of the app's default, unless it was changed: complete until the first user
/// authentication. They can be read while the device is locked, but not before its first unlock.
public final class FileAuthStateStore: AuthStateStore {
    /// In one process tasks queue up here in order, so that a single one at a time tries for the file lock.
    private static let queue = WaitingLine<String>()

    /// The longest silence of the file system in a load, or in a function of a lease.
    static let patience = Duration.seconds(30)
    /// The shortest time that a lease waits for the file system, even beyond its deadline.
    static let leastPatience = Duration.seconds(5)

    private let layout: FileLayout
    private let clock: any Clock<Duration>
    private let warnings: FileWarnings
    private let work: BlockingWork

    /// Makes a store that keeps any number of states in a folder, under names made of hashes of their keys.
    ///
    /// - Parameters:
    ///   - folder: A path; a relative one is taken from the current folder now, `~/` means the home folder. The folder
    ///     is created by the first lease.
    ///   - clock: Measures the deadlines of leases.
    ///   - onWarning: Called once for each file that other users can read (`.storeExposed`): a warning, not a failure.
    ///     Called from a thread of the store.
    public convenience init(
        folder: String, clock: any Clock<Duration> = ContinuousClock(),
        onWarning: (@Sendable (AuthStateError) -> Void)? = nil
    ) {
        self.init(.folder(FilePath.absolute(folder)), clock, onWarning)
    }

    /// Makes a store that keeps any number of states in a folder, named by a file URL.
    ///
    /// - Parameters:
    ///   - folder: A file URL; the folder is created by the first lease.
    ///   - clock: Measures the deadlines of leases.
    ///   - onWarning: Called once for each file that other users can read (`.storeExposed`), from a thread of the
    ///     store.
    public convenience init(
        folder: URL, clock: any Clock<Duration> = ContinuousClock(),
        onWarning: (@Sendable (AuthStateError) -> Void)? = nil
    ) {
        self.init(folder: folder.path, clock: clock, onWarning: onWarning)
    }

    /// Makes a store that keeps one state in a file of the user's choice.
    ///
    /// - Parameters:
    ///   - file: A path; a relative one is taken from the current folder now, `~/` means the home folder.
    ///   - key: The only key that the store accepts; any other is `.invalidArgument`.
    ///   - clock: Measures the deadlines of leases.
    ///   - onWarning: Called once for each file that other users can read (`.storeExposed`): a warning, not a failure.
    ///     Called from a thread of the store.
    public convenience init(
        file: String, key: AuthStateKey = .default, clock: any Clock<Duration> = ContinuousClock(),
        onWarning: (@Sendable (AuthStateError) -> Void)? = nil
    ) {
        self.init(.file(FilePath.absolute(file), key), clock, onWarning)
    }

    private init(
        _ layout: FileLayout, _ clock: any Clock<Duration>, _ onWarning: (@Sendable (AuthStateError) -> Void)?
    ) {
        (self.layout, self.clock) = (layout, clock)
        warnings = FileWarnings(report: onWarning)
        work = BlockingWork(label: "AuthStateKit.FileAuthStateStore", clock: clock)
    }

    /// Returns the path of a key's state, for messages that send a user there; the file may be missing.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` for a key that the store does not accept.
    public func path(for key: AuthStateKey) throws -> String { try layout.path(for: key) }

    /// False: a file or folder that another user owns, or can change, is refused with `.storeUntrusted`.
    public var mayBeWrittenByOthers: Bool { false }

    /// The path of the key's file.
    public func location(of key: AuthStateKey) -> String { (try? path(for: key)) ?? "no file: the key has no path" }

    /// Reads a state without a lease; nil when there is none under the key. Creates nothing, changes nothing.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable` or `.storeUntrusted`, naming the path and what to do.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let path = try layout.path(for: key)
        return try await work.run(within: Self.patience, orThrow: .storeSilent(.storeUnreadable, path)) { [warnings] in
            try StateFile(resolving: path, warnings: warnings).read().stored
        }
    }

    /// Runs a transaction under a lease that excludes every other holder of the key, in this process or another.
    ///
    /// Within a process waiters take turns in the order in which they came; among processes there is no order. A save
    /// that the body began is finished even when its task is cancelled.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - deadline: The time to wait for another holder; after it, `.storeLocked` is thrown.
    ///   - look: Not called.
    ///   - body: The transaction. It runs in the caller's isolation; the lease is released when it returns or throws.
    /// - Throws: `AuthStateError` with `.storeLocked` at the deadline, `.storeUnwritable` when the lock file cannot be
    ///   created; `CancellationError` when cancelled while waiting; the body's errors.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let path = try layout.path(for: key)
        let deadline = Deadline(after: deadline, on: clock)
        try await Self.queue.enter(path, until: deadline, orThrow: AuthStateError.storeLocked(path))
        let lease: FileLease
        do {
            lease = try await FileLease.acquire(path, until: deadline, work, warnings)
        } catch {
            Self.queue.leave(path)
            throw error
        }
        do {
            let result = try await body(lease)
            await lease.end { Self.queue.leave(path) }
            return result
        } catch {
            await lease.end { Self.queue.leave(path) }
            throw error
        }
    }

    /// Lists the states whose files were written last before a moment.
    ///
    /// The names of a folder's files are digests of the keys: entries have keys that stand for them. A file that cannot be
    /// read is left out, and reported to `onWarning` once.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable`.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        let layout = layout
        let keys = try await work.run(
            within: Self.patience, orThrow: .storeSilent(.storeUnreadable, "the folder of the states")
        ) { try layout.keys() }
        var entries: [AuthStateEntry] = []
        for key in keys {
            try Task.checkCancellation()
            let path = try layout.path(for: key)
            let entry = try await work.run(within: Self.patience, orThrow: .storeSilent(.storeUnreadable, path)) {
                [warnings] () -> AuthStateEntry? in
                // Times are compared first: few of the states are read.
                guard let time = try? FileStatus(ofFileAt: path).lastWrite, time < date.timeIntervalSince1970 else {
                    return nil
                }
                do {
                    guard let stored = try StateFile(resolving: path, warnings: warnings).read().stored else {
                        return nil
                    }
                    return AuthStateEntry(key: key, savedAt: Date(timeIntervalSince1970: time), version: stored.version)
                } catch let error as AuthStateError {
                    warnings.report(error, about: path)
                    return nil
                }
            }
            if let entry { entries.append(entry) }
        }
        return entries
    }

    /// Begins to watch a key; nil while its folder does not exist, where the system's limit is reached, and not on Linux.
    ///
    /// Changes by any process of this machine show within a few milliseconds. Not noticed are a change by another
    /// machine that shares the file system, and another folder or symbolic link put in the place of one above the file.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? {
        #if os(Linux)
            guard let path = try? layout.path(for: key) else { return nil }
            return try? await work.run(within: Self.patience, orThrow: .storeSilent(.storeUnreadable, path)) {
                [warnings] in
                FileWatch(try StateFile(resolving: path, warnings: warnings))
            }
        #else
            nil
        #endif
    }
}
