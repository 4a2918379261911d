import AuthStateLibc
import AuthStateOAuth
import AuthStateSystem

/// The file that will take the place of a state's file: created, and with space on the disk, before it is needed.
final class TemporaryFile: Sendable {
    private let file: OpenFile
    private let path: String
    private let destination: StateFile

    /// Creates it beside its destination.
    init(for destination: StateFile, under lock: FileLock, size: Int) throws(SystemCallError) {
        self.destination = destination
        path = Self.path(for: destination, under: lock)
        _ = unlink(path)
        file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do {
            try file.setPermissions(0o600)
            try file.preallocate(size)
        } catch {
            discard()
            throw error
        }
    }

    /// Writes the content to the disk, then puts it in the place of its destination; removes it when that fails.
    ///
    /// The note comes first: once the last byte of the content is written, the next holder of the lock can finish this.
    func commit(_ content: [UInt8], _ note: SaveNote, under lock: FileLock) throws(SystemCallError) {
        do {
            // Without the note, as on a full disk, the save works too, unless this process dies in the next
            // millisecond.
            try? lock.write(note)
            try file.overwrite(with: content)
            try Self.replace(destination, with: path, file)
        } catch {
            discard()
            throw error
        }
        try FilePath.synchronizeFolder(destination.folder)
    }

    /// Removes it.
    func discard() { _ = unlink(path) }

    /// Finishes the save of a lock holder that died, if all of its content is there.
    ///
    /// What is left of another one stays until the next save or removal: it tells each holder until then of the death.
    ///
    /// - Returns: Whether a holder died before all of its content was there.
    static func recover(_ destination: StateFile, under lock: FileLock) throws -> Bool {
        let path = path(for: destination, under: lock)
        do {
            guard let file = try existing(path) else { return false }
            let stored = try destination.read().stored?.version
            let status = try file.status
            guard status.isRegular, status.isAlone(), let note = lock.note, note.base == stored,
                case let content = try file.readAll(limit: note.count), content.count == note.count,
                try StateFile.version(of: content) == note.version
            else { return true }
            try file.cut(to: note.count)
            try replace(destination, with: path, file)
            try FilePath.synchronizeFolder(destination.folder)
            return false
        } catch let error as SystemCallError {
            throw AuthStateError.store(
                .storeUnwritable, "What another process was saving cannot be finished:", destination.path, error)
        }
    }

    /// Whether a holder of this lock, dead or not, left a file.
    static func isLeft(for destination: StateFile, under lock: FileLock) -> Bool {
        (try? FileStatus(ofFileAt: path(for: destination, under: lock))) != nil
    }

    /// Removes what a holder of this lock, dead or not, left.
    static func removeWhatIsLeft(for destination: StateFile, under lock: FileLock) throws(SystemCallError) {
        do { try SystemCallError.check { unlink(path(for: destination, under: lock)) } } catch {
            if error.code != ENOENT { throw error }
        }
    }

    /// Opens the file that a holder left; nil where there is nothing, or a link or a folder that no holder made.
    private static func existing(_ path: String) throws(SystemCallError) -> OpenFile? {
        do {
            return try OpenFile(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
        } catch {
            if error.code == ENOENT || error.code == ELOOP || error.code == EISDIR { return nil }
            throw error
        }
    }

    private static func replace(
        _ destination: StateFile, with path: String, _ file: borrowing OpenFile
    ) throws(SystemCallError) {
        try file.synchronize()
        try SystemCallError.check { rename(path, destination.path) }
    }

    /// Returns a path with the lock's own number: a holder of another lock, whose file was removed, has another path.
    private static func path(for destination: StateFile, under lock: FileLock) -> String {
        "\(destination.path).\(lock.number).tmp"
    }
}
