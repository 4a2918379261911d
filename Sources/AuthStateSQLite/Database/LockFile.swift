import AuthStateLibc
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

#if !canImport(Darwin)
    import Synchronization
#endif

/// The file beside the database that processes lock bytes of, and count changes in.
///
/// A lease is a lock of the system's on one byte far behind the end of the file: the kernel releases it with the process that
/// holds it. In the file is a counter for each of 65,536 slots, in memory that all processes share: a watch reads it without a
/// system call. The file is never removed, nor cut off, as by a copy over it: the kernel ends each program that has the
/// database open then (SIGBUS). SQLite's own locks are on other files.
final class LockFile: Sendable {
    private static let slots = 1 << 16
    private static let mark = Array("AuthStateKit locks and changes 1\n".utf8)
    /// One page for the mark, then the counters: of the slots, and of all states at once.
    private static let head = 4096
    private static let size = head + (slots + 1) * 4

    private let file: OpenFile
    let path: String
    private let status: FileStatus
    #if !canImport(Darwin)
        // Sendable: mapped before it is shared, unmapped with the last reference, and holds atomics.
        nonisolated(unsafe) private let memory: UnsafeMutableRawPointer
        private let isGone = Atomic(false)
    #endif

    /// Opens the file; makes it if it shall.
    ///
    /// - Throws: `AuthStateError` with `.storeUnwritable`, also when another program's file has the name; `.storeUntrusted`.
    init(_ path: String, creating: Bool) throws {
        self.path = path
        do {
            let file = try OpenFile(
                path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0), mode: 0o600)
            try StateFile.checkOwnership(file.status, path)
            guard Self.mark.starts(with: try file.readAll(limit: Self.mark.count)) else { throw Self.foreign(path) }
            try Self.complete(file)
            status = try file.status
            #if !canImport(Darwin)
                memory = try file.map(Self.size)
            #endif
            self.file = file
        } catch let error as SystemCallError {
            throw AuthStateError.store(.storeUnwritable, "The lock of the states cannot be taken:", path, error)
        }
    }

    /// Writes a file that is new, or whose maker was killed; one process at a time.
    private static func complete(_ file: borrowing OpenFile) throws(SystemCallError) {
        guard try file.status.size < size else { return }
        while try !file.tryLock(byte: 0) { usleep(1000) }
        defer { file.unlock(byte: 0) }
        guard try file.status.size < size else { return }
        try file.overwrite(with: mark + [UInt8](repeating: 0, count: size - mark.count))
    }

    #if !canImport(Darwin)
        deinit { munmap(memory, Self.size) }
    #endif

    /// Whether the file still has its name; if not, watches report that there may have been changes.
    var isCurrent: Bool {
        if let found = try? FileStatus(ofFileAt: path), found.isSameFile(as: status) { return true }
        #if !canImport(Darwin)
            isGone.store(true, ordering: .relaxed)
        #endif
        return false
    }

    /// Locks a key unless another holder has it, in this process or another.
    func tryLock(_ key: KeyHash) throws -> Bool {
        do { return try file.tryLock(byte: key.byte) } catch {
            throw AuthStateError.store(.storeUnwritable, "The lock of the states cannot be taken:", path, error)
        }
    }

    /// Releases a key.
    func unlock(_ key: KeyHash) { file.unlock(byte: key.byte) }

    /// Counts a change of a key; nil is one of all keys.
    func count(_ key: KeyHash?) {
        #if !canImport(Darwin)
            counter(key?.slot ?? Self.slots).pointee.wrappingAdd(1, ordering: .relaxed)
        #endif
    }

    /// A number that differs from before when a key may have changed; in each second where the file is gone.
    func generation(of key: KeyHash) -> UInt64 { generation(of: key.slot) }

    fileprivate func generation(of slot: Int) -> UInt64 {
        #if canImport(Darwin)
            0
        #else
            if isGone.load(ordering: .relaxed) {
                return .max - UInt64(truncatingIfNeeded: SystemTime.now(by: CLOCK_MONOTONIC_COARSE).seconds)
            }
            return UInt64(counter(Self.slots).pointee.load(ordering: .relaxed)) << 32
                | UInt64(counter(slot).pointee.load(ordering: .relaxed))
        #endif
    }

    #if !canImport(Darwin)
        private func counter(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
            (memory + Self.head + slot * 4).assumingMemoryBound(to: Atomic<UInt32>.self)
        }
    #endif

    private static func foreign(_ path: String) -> AuthStateError {
        AuthStateError(
            .storeUnwritable, stage: .store, "The file is not the lock of a database of states: \(path).",
            expected: "no file, or one that begins with \(String(decoding: mark.dropLast(), as: UTF8.self))",
            hint: "Choose another path for the database; after a change of version end all programs that use it.")
    }
}

#if !canImport(Darwin)
    /// Tells whether a key was changed, by any process.
    final class ChangeWatch: AuthStateWatch {
        private let locks: LockFile
        private let slot: Int

        init(_ key: KeyHash, in locks: LockFile) { (self.locks, slot) = (locks, key.slot) }

        var generation: UInt64 { locks.generation(of: slot) }
    }
#endif

extension KeyHash {
    /// The counter that a key has, with others.
    fileprivate var slot: Int { Int(bytes[0]) << 8 | Int(bytes[1]) }
    /// The byte that a lease locks: two keys have the same one by a chance of 2⁻⁶¹.
    fileprivate var byte: Int64 { 1 + bytes[2..<10].reduce(Int64(0)) { $0 << 8 | Int64($1) } >> 2 & (1 << 61 - 1) }
}
