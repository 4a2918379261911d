import AuthStateLibc
import AuthStateOAuth
import AuthStateSystem

/// The locked `<file>.lock`: excludes other processes, and ends with the process that holds it.
///
/// It is a file of its own, because saving replaces the state's file and with it any lock on it. Its content is
/// the `SaveNote` of the last save, or nothing.
///
/// The file goes with its state: the holder removes it at release when there is no state, or when nothing was ever saved
/// under it; but not while there is something to recover, which only a holder of this very file finds. Only a holder removes it, and only while it has the lock. A process that waited for a removed file gets a
/// lock that excludes no other process; it notices, because another file or none has the name by then, and tries again.
final class FileLock: Sendable {
    /// The number that tells the file from every other of the same name for as long as any process has it open.
    let number: String
    /// The note of the last holder about its save; nil when there is none that can be read.
    let note: SaveNote?
    private let file: OpenFile
    private let path: String

    private init(_ file: consuming OpenFile, number: UInt64, note: SaveNote?, path: String) {
        self.number = String(number, radix: 16)
        self.note = note
        self.file = file
        self.path = path
    }

    /// Acquires the lock; nil while another holder has it.
    ///
    /// - Throws: `AuthStateError` with `.storeUnwritable`, also when another program's file has the name.
    static func attempt(_ path: String) throws -> FileLock? {
        do {
            // Holders come and go, and each may remove the file that was just opened: then the next one is tried at once.
            for _ in 0..<16 {
                let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
                guard try file.tryLock() else { return nil }
                let status = try file.status
                try StateFile.checkOwnership(status, path)
                guard let current = try? FileStatus(ofFileAt: path), status.isSameFile(as: current) else { continue }
                let content = try file.readAll(limit: SaveNote.longest + 1)
                guard SaveNote.canStand(in: content) else { throw AuthStateError.foreignLock(path) }
                let note = SaveNote(String(decoding: content, as: UTF8.self))
                return FileLock(file, number: status.number, note: note, path: path)
            }
            return nil
        } catch let error as SystemCallError {
            throw AuthStateError.store(.storeUnwritable, "The lock of the state cannot be taken:", path, error)
        }
    }

    /// Notes what is about to be saved.
    func write(_ note: SaveNote) throws(SystemCallError) { try file.overwrite(with: Array(note.text.utf8)) }

    /// Releases the lock; removes its file first unless it belongs to a state that is there, or is to be recovered.
    ///
    /// A process that dies while it holds the lock leaves the file, and with it the note for the next holder.
    func release(for state: StateFile) {
        // A user may have removed the file by hand, and another holder have made another.
        if !state.exists || (try? file.status.size) == 0, !TemporaryFile.isLeft(for: state, under: self),
            let status = try? file.status, let current = try? FileStatus(ofFileAt: path), status.isSameFile(as: current)
        {
            _ = unlink(path)
        }
        file.unlock()
    }
}

extension AuthStateError {
    /// A file with the name of a lock is none: it is neither overwritten nor removed.
    fileprivate static func foreignLock(_ path: String) -> AuthStateError {
        AuthStateError(
            .storeUnwritable, stage: .store, "The file is not a lock of a stored state: \(path).",
            expected: "no file, or one that is empty or names a saved version",
            hint: "Choose another path for the state.")
    }
}
