import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// The transaction of a file store: the lock, and the temporary file that was reserved under it.
///
/// Its functions run one after another on threads of the store, and finish even when their task is cancelled. The lock
/// is released with the last save, or when the last of them has ended: one that hangs keeps it.
final class FileLease: AuthStateLease {
    private struct State {
        /// Nil once the last save has released it.
        var lock: FileLock?
        /// The last reading, or the error of the first: what cannot be read, or recovered, can only be discarded.
        var reading: Result<StateFile.Reading, any Error>
        var reserved: TemporaryFile?
        var isOver = false
    }

    /// What can be answered without a thread of the store.
    private enum Progress {
        /// Nothing was asked for yet: a `load` gets the reading that was made with the acquisition of the lock.
        case acquired(StateFile.Reading)
        case working
        /// The last save has released the lock.
        case released
    }

    /// The space that a state may need beyond one and a half times its size: one that is sealed grows by a third.
    private static let margin = 16 << 10

    /// Whether the previous holder died between `reserve` and the end of `save`: the token that it sent may be spent.
    let followsCrash: Bool
    private let file: StateFile
    private let work: BlockingWork
    /// Held for the whole of each function: only threads that may block wait for it.
    private let state: Lock<State>
    private let progress: Lock<Progress>

    /// Finishes the save of a holder that died, then reads the file: no other holder can change it now.
    private init(_ file: StateFile, _ lock: FileLock, _ work: BlockingWork) {
        let recovery = Result { try TemporaryFile.recover(file, under: lock) }
        let reading = Result {
            _ = try recovery.get()
            return try file.read()
        }
        followsCrash = (try? recovery.get()) == true
        (self.file, self.work) = (file, work)
        state = Lock(State(lock: lock, reading: reading))
        progress = Lock((try? reading.get()).map { .acquired($0) } ?? .working)
    }

    /// Tries again and again, at random intervals of up to a quarter of a second, until the deadline.
    ///
    /// A lock that is acquired after the caller stopped waiting for the disk is closed at once, and so released.
    ///
    /// - Throws: `AuthStateError` with `.storeLocked`, `.storeUnwritable`, or `.storeUnreadable` for a path that leads to no file;
    ///   `CancellationError`.
    nonisolated(nonsending) static func acquire(
        _ path: String, until deadline: Deadline, _ work: BlockingWork, _ warnings: FileWarnings
    ) async throws -> FileLease {
        var pause = 0.004
        while true {
            let patience = max(deadline.remaining, FileAuthStateStore.leastPatience)
            let lease = try await work.run(within: patience, orThrow: .storeSilent(.storeUnwritable, path)) {
                if (try? FileStatus(ofFileAt: FilePath.folder(of: path)))?.isFolder != true {
                    // No folder is made where another user's link leads; other obstacles show below.
                    do { _ = try FilePath.resolved(path) } catch is SystemCallError {}
                    try FilePath.createFolders(to: FilePath.folder(of: path))
                }
                let file = try StateFile(resolving: path, warnings: warnings)
                try file.checkFolder()
                _ = try file.size
                return try FileLock.attempt(file.lockPath).map { FileLease(file, $0, work) }
            }
            if let lease { return lease }
            guard deadline.remaining > .zero else { throw AuthStateError.storeLocked(path) }
            try await deadline.sleep(atMost: .seconds(pause * Double.random(in: 0.5...1)))
            pause = min(pause * 2, 0.25)
        }
    }

    /// Removes an unused reservation, releases the lock, then calls `release`; later if a call hangs.
    ///
    /// After a holder that died, the reservation stays: it tells the next holder of the death, as what it replaced did.
    nonisolated(nonsending) func end(release: @escaping @Sendable () -> Void) async {
        if case .released = begin() {
            state.withLock { $0.isOver = true }
            return release()
        }
        await work.complete(within: FileAuthStateStore.leastPatience) {
            self.state.withLock { state in
                if !self.followsCrash { state.reserved?.discard() }
                state.reserved = nil
                state.isOver = true
                self.release(&state)
            }
            release()
        }
    }

    func load() async throws -> StoredAuthState? {
        if case .acquired(let first) = begin() { return first.stored }
        return try await perform(or: .storeUnreadable) { state, _ in
            _ = try state.reading.get()
            let reading = try self.file.read()
            state.reading = .success(reading)
            return reading.stored
        }
    }

    func reserve() async throws {
        try await perform(or: .storeUnwritable) { state, lock in
            _ = try state.reading.get()
            if state.reserved != nil { return }
            let size = try self.file.size
            state.reserved = try self.temporaryFile(
                size: min(size + size / 2 + Self.margin, StateFile.sizeLimit), under: lock)
        }
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await save(archive, expecting, isLast: false)
    }

    /// Saves, and releases the lock on the same thread; what follows all the same acquires it again.
    func saveLast(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await save(archive, expecting, isLast: true)
    }

    private func save(
        _ archive: Data, _ expecting: StoredAuthState.Version?, isLast: Bool
    ) async throws -> StoredAuthState.Version {
        try await perform(or: .storeUnwritable, isChange: true) { state, lock in
            let content = [UInt8](archive)
            guard content.count <= StateFile.sizeLimit else { throw self.file.tooLarge(.storeUnwritable) }
            let version = try StateFile.version(of: content)
            let found = try self.file.read(since: state.reading.get()).stored?.version
            // The same content again is no conflict: an earlier save may have failed after its rename.
            if found != version { try StoredAuthState.Version.check(found, isExpected: expecting) }
            let temporary = try state.reserved ?? self.temporaryFile(size: 0, under: lock)
            state.reserved = nil
            let note = SaveNote(base: found, version: version, count: content.count)
            try self.writing { () throws(SystemCallError) in
                try temporary.commit(content, note, under: lock)
            }
            if isLast {
                self.release(&state)
                self.progress.withLock { $0 = .released }
            }
            return version
        }
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try await perform(or: .storeUnwritable, isChange: true) { state, lock in
            _ = try state.reading.get()
            if let found = try self.file.read().stored?.version {
                try StoredAuthState.Version.check(found, isExpected: expecting)
            }
            // Without a state too: a first save may have left a temporary file.
            try self.remove(&state, under: lock)
        }
    }

    func discard() async throws {
        try await perform(or: .storeUnwritable, isChange: true) { state, lock in
            // What a dead holder was saving goes first, so that the next holder does not finish it.
            try self.remove(&state, under: lock)
            state.reading = .success(StateFile.Reading())
        }
    }

    /// Removes the file, and the temporary file that this holder or a dead one made.
    private func remove(_ state: inout State, under lock: FileLock) throws {
        try writing { () throws(SystemCallError) in try TemporaryFile.removeWhatIsLeft(for: file, under: lock) }
        state.reserved = nil
        if file.exists { try file.remove() }
    }

    private func perform<R: Sendable>(
        or code: AuthStateError.Code, isChange: Bool = false,
        _ body: @escaping @Sendable (inout State, FileLock) throws -> R
    ) async throws -> R {
        _ = begin()
        return try await work.run(
            within: FileAuthStateStore.patience, orThrow: .storeSilent(code, self.file.path, isChange: isChange)
        ) {
            try self.state.withLock { state in
                if state.isOver { throw AuthStateError.leaseEnded() }
                let lock = try state.lock ?? self.acquireAgain(&state)
                return try body(&state, lock)
            }
        }
    }

    /// Returns what can be answered at once; a function of the lease begins.
    private func begin() -> Progress {
        progress.withLock { progress in
            defer { progress = .working }
            return progress
        }
    }

    private func release(_ state: inout State) {
        state.lock?.release(for: file)
        state.lock = nil
    }

    /// Acquires the lock anew: another process may have held it since the last save.
    private func acquireAgain(_ state: inout State) throws -> FileLock {
        // The save may have ended after this function began: one that was given up.
        _ = begin()
        guard let lock = try FileLock.attempt(file.lockPath) else { throw AuthStateError.storeLocked(file.path) }
        state.lock = lock
        state.reading = Result {
            _ = try TemporaryFile.recover(file, under: lock)
            return try file.read()
        }
        return lock
    }

    private func temporaryFile(size: Int, under lock: FileLock) throws -> TemporaryFile {
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
