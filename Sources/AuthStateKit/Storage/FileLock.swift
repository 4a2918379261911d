import AuthStateOAuth

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The locked `<file>.lock`: excludes other processes, and ends with the process that holds it.
///
/// A file of its own, because saving replaces the state's file and with it whatever was locked there. It is never
/// removed: whoever waited for a removed file would hold a lock that nobody else sees.
final class FileLock: Sendable {
    private let file: OpenFile

    private init(_ file: consuming OpenFile) { self.file = file }

    /// Tries again and again, at random intervals of up to a quarter of a second, until the deadline.
    ///
    /// - Throws: `AuthStateError` with `.storeLocked` or `.storeUnwritable`; `CancellationError`.
    static func acquire(
        for stateFile: StateFile, until deadline: Deadline, _ work: BlockingWork
    ) async throws -> FileLock {
        let path = stateFile.lockPath
        var pause = 0.004
        while true {
            if let lock = try await work.run({ try attempt(path) }) { return lock }
            guard deadline.remaining > .zero else { throw AuthStateError.storeLocked(stateFile.path) }
            try await deadline.sleep(atMost: .seconds(pause * Double.random(in: 0.5...1)))
            pause = min(pause * 2, 0.25)
        }
    }

    /// What the holder noted, or one before it that crashed.
    func readNote() throws(SystemCallError) -> String {
        String(decoding: try file.readAll(limit: 64), as: UTF8.self)
    }

    /// Notes a few characters for the next holder.
    func write(note: String) throws(SystemCallError) { try file.overwrite(with: Array(note.utf8)) }

    /// Gives the lock back.
    func unlock() { file.unlock() }

    private static func attempt(_ path: String) throws -> FileLock? {
        do {
            let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
            guard try file.tryLock() else { return nil }
            // Somebody who removed the file in between left us with a lock that nobody else sees.
            guard let current = try? FileStatus(ofFileAt: path), try file.status.isSameFile(as: current) else {
                return nil
            }
            return FileLock(file)
        } catch {
            throw AuthStateError.store(.storeUnwritable, "The lock of the state cannot be taken:", path, error)
        }
    }
}
