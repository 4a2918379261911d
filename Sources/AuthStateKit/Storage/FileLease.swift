import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The transaction of a file store: the lock, and the temporary file that was reserved under it.
///
/// Its functions run one after another on the store's queue, and finish even when their task is cancelled.
final class FileLease: AuthStateLease {
    private struct State {
        var reserved: TemporaryFile?
        var isOver = false
    }

    /// How much more than now a state may need next time.
    private static let margin = 64 << 10

    private let file: StateFile
    private let lock: FileLock
    private let work: BlockingWork
    private let state = Lock(State())

    init(_ file: StateFile, _ lock: FileLock, _ work: BlockingWork) {
        self.file = file
        self.lock = lock
        self.work = work
    }

    /// Removes what was reserved and not used, and gives the lock back.
    func end() async {
        await work.run {
            self.takeReserved(isOver: true)?.discard()
            self.lock.unlock()
        }
    }

    func load() async throws -> StoredAuthState? {
        try await perform { try self.file.read() }
    }

    func reserve() async throws {
        try await perform {
            if self.state.withLock({ $0.reserved != nil }) { return }
            let size = try self.file.read()?.archive.count ?? 0
            let reserved = try self.temporaryFile(size: size + Self.margin)
            self.state.withLock { $0.reserved = reserved }
        }
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await perform {
            let content = [UInt8](archive)
            guard content.count <= StateFile.sizeLimit else { throw self.file.tooLarge(.storeUnwritable) }
            let version = try StateFile.version(of: content)
            let found = try self.file.read()?.version
            // The same content again is no conflict: an earlier save may have failed after its rename.
            if found != version { try StoredAuthState.Version.check(found, isExpected: expecting) }
            let temporary = try self.takeReserved() ?? self.temporaryFile(size: content.count)
            defer { temporary.discard() }
            try self.writing { () throws(SystemCallError) in try temporary.commit(content) }
            return version
        }
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try await perform {
            guard let found = try self.file.read()?.version else { return }
            try StoredAuthState.Version.check(found, isExpected: expecting)
            try self.file.remove()
        }
    }

    private func perform<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await work.run {
            if self.state.withLock({ $0.isOver }) { throw AuthStateError.leaseEnded() }
            return try body()
        }
    }

    private func takeReserved(isOver: Bool = false) -> TemporaryFile? {
        state.withLock { state in
            defer { state = State(isOver: isOver) }
            return state.reserved
        }
    }

    private func temporaryFile(size: Int) throws -> TemporaryFile {
        try writing { () throws(SystemCallError) in
            try TemporaryFile.removeLeftover(of: file, notedIn: lock)
            return try TemporaryFile(for: file, size: size, noting: lock)
        }
    }

    private func writing<R>(_ body: () throws(SystemCallError) -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw AuthStateError.store(.storeUnwritable, "The state cannot be written to", file.path, error)
        }
    }
}
