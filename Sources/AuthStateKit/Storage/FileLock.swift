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
/// removed: whoever waited for a removed file would hold a lock that nobody else sees. Its content is a `SaveNote`.
final class FileLock: Sendable {
    /// Tells the file from every other that has its name while somebody has it open.
    let number: String
    private let file: OpenFile

    private init(_ file: consuming OpenFile, number: UInt64) {
        self.number = String(number, radix: 16)
        self.file = file
    }

    /// Takes the lock; nil while somebody else has it.
    ///
    /// - Throws: `AuthStateError` with `.storeUnwritable`.
    static func attempt(_ path: String) throws -> FileLock? {
        do {
            let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
            guard try file.tryLock() else { return nil }
            // Somebody who removed the file in between left us with a lock that nobody else sees.
            let status = try file.status
            try StateFile.checkOwnership(status, path)
            guard let current = try? FileStatus(ofFileAt: path), status.isSameFile(as: current) else { return nil }
            return FileLock(file, number: status.number)
        } catch let error as SystemCallError {
            throw AuthStateError.store(.storeUnwritable, "The lock of the state cannot be taken:", path, error)
        }
    }

    /// Says what is about to be saved.
    func write(_ note: SaveNote) throws(SystemCallError) { try file.overwrite(with: Array(note.text.utf8)) }

    /// What the last holder was about to save; nil when it said nothing that makes sense.
    func readNote() throws(SystemCallError) -> SaveNote? {
        SaveNote(String(decoding: try file.readAll(limit: 512), as: UTF8.self))
    }

    /// Gives the lock back.
    func unlock() { file.unlock() }
}
