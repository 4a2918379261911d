#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file that will take the place of a state's file: created, and with space on the disk, before it is needed.
final class TemporaryFile: Sendable {
    private let file: OpenFile
    private let path: String
    private let destination: StateFile

    /// Creates it beside its destination, in the place of what a holder of the lock left behind when it crashed.
    ///
    /// The lock's own number is in the name: a holder of another lock, whose file somebody removed, has another name.
    init(for destination: StateFile, under lock: FileLock, size: Int) throws(SystemCallError) {
        self.destination = destination
        path = "\(destination.path).\(lock.number).tmp"
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
    func commit(_ content: [UInt8]) throws(SystemCallError) {
        do {
            try file.overwrite(with: content)
            try file.synchronize()
            try SystemCallError.check { rename(path, destination.path) }
        } catch {
            discard()
            throw error
        }
        try FilePath.synchronizeFolder(destination.folder)
    }

    /// Removes it.
    func discard() { _ = unlink(path) }
}
