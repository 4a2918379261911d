import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// The transaction of a file store: the lock, and the temporary file that was reserved under it.
///
/// Its functions run one after another on threads of the store, and finish even when their task is cancelled. The lock
/// is released when the last of them has ended: one that hangs keeps it.
final class FileLease: AuthStateLease {
    private struct State {
        /// The last reading.
        var reading: StateFile.Reading
        var reserved: TemporaryFile?
        var isOver = false
    }

    /// The space that a state may need beyond one and a half times its size: one that is sealed grows by a third.
    private static let margin = 16 << 10

    /// Whether the previous holder died between `reserve` and the end of `save`: the token that it sent may be spent.
    let followsCrash: Bool
    private let file: StateFile
    private let lock: FileLock
    private let work: BlockingWork
    /// Held for the whole of each function: only threads that may block wait for it.
    private let state: Lock<State>
    /// The reading that was made with the acquisition of the lock, for a lease that begins with `load`.
    private let first: Lock<StateFile.Reading?>

    /// Finishes the save of a holder that died, then reads the file: no other holder can change it now.
    private init(_ file: StateFile, _ lock: FileLock, _ work: BlockingWork) throws {
        followsCrash = try TemporaryFile.recover(file, under: lock)
        let reading = try file.read()
        self.file = file
        self.lock = lock
        self.work = work
        state = Lock(State(reading: reading))
        first = Lock(reading)
    }

    /// Tries again and again, at random intervals of up to a quarter of a second, until the deadline.
    ///
    /// A lock that is acquired after the caller stopped waiting for the disk is closed at once, and so released.
    ///
    /// - Throws: `AuthStateError` with `.storeLocked`, `.storeUnwritable` or `.storeUnreadable`; `CancellationError`.
    nonisolated(nonsending) static func acquire(
        _ path: String, until deadline: Deadline, _ work: BlockingWork, _ warnings: FileWarnings
    ) async throws -> FileLease {
        var pause = 0.004
        while true {
            let patience = max(deadline.remaining, FileAuthStateStore.leastPatience)
            let lease = try await work.run(within: patience, orThrow: .storeSilent(.storeUnwritable, path)) {
                try FilePath.createFolders(to: FilePath.folder(of: path))
                let file = try StateFile(resolving: path, warnings: warnings)
                try file.checkFolder()
                _ = try file.size
                guard let lock = try FileLock.attempt(file.lockPath) else { return nil as FileLease? }
                do { return try FileLease(file, lock, work) } catch {
                    lock.release(isStored: file.exists)
                    throw error
                }
            }
            if let lease { return lease }
            guard deadline.remaining > .zero else { throw AuthStateError.storeLocked(path) }
            try await deadline.sleep(atMost: .seconds(pause * Double.random(in: 0.5...1)))
            pause = min(pause * 2, 0.25)
        }
    }

    /// Removes an unused reservation, releases the lock, then calls `release`; later if a call hangs.
    nonisolated(nonsending) func end(release: @escaping @Sendable () -> Void) async {
        _ = takeFirst()
        await work.complete(within: FileAuthStateStore.leastPatience) {
            self.state.withLock { state in
                state.reserved?.discard()
                state.reserved = nil
                state.isOver = true
                self.lock.release(isStored: self.file.exists)
            }
            release()
        }
    }

    func load() async throws -> StoredAuthState? {
        if let first = takeFirst() { return first.stored }
        return try await perform(or: .storeUnreadable) { state in
            state.reading = try self.file.read()
            return state.reading.stored
        }
    }

    func reserve() async throws {
        try await perform(or: .storeUnwritable) { state in
            if state.reserved != nil { return }
            let size = try self.file.size
            state.reserved = try self.temporaryFile(size: min(size + size / 2 + Self.margin, StateFile.sizeLimit))
        }
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await perform(or: .storeUnwritable, isChange: true) { state in
            let content = [UInt8](archive)
            guard content.count <= StateFile.sizeLimit else { throw self.file.tooLarge(.storeUnwritable) }
            let version = try StateFile.version(of: content)
            let found = try self.file.read(since: state.reading).stored?.version
            // The same content again is no conflict: an earlier save may have failed after its rename.
            if found != version { try StoredAuthState.Version.check(found, isExpected: expecting) }
            let temporary = try state.reserved ?? self.temporaryFile(size: 0)
            state.reserved = nil
            let note = SaveNote(base: found, version: version, count: content.count)
            try self.writing { () throws(SystemCallError) in
                try temporary.commit(content, note, under: self.lock)
            }
            return version
        }
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try await perform(or: .storeUnwritable, isChange: true) { _ in
            guard let found = try self.file.read().stored?.version else { return }
            try StoredAuthState.Version.check(found, isExpected: expecting)
            try self.file.remove()
        }
    }

    private func perform<R: Sendable>(
        or code: AuthStateError.Code, isChange: Bool = false,
        _ body: @escaping @Sendable (inout State) throws -> R
    ) async throws -> R {
        _ = takeFirst()
        let expiry = AuthStateError.storeSilent(code, file.path, isChange: isChange)
        return try await work.run(within: FileAuthStateStore.patience, orThrow: expiry) {
            try self.state.withLock { state in
                if state.isOver { throw AuthStateError.leaseEnded() }
                return try body(&state)
            }
        }
    }

    private func takeFirst() -> StateFile.Reading? {
        first.withLock { first in
            defer { first = nil }
            return first
        }
    }

    private func temporaryFile(size: Int) throws -> TemporaryFile {
        try writing { () throws(SystemCallError) in try TemporaryFile(for: file, under: lock, size: size) }
    }

    private func writing<R>(_ body: () throws(SystemCallError) -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw AuthStateError.store(.storeUnwritable, "The state cannot be written to", file.path, error)
        }
    }
}
