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

    /// Creates it beside its destination, after noting its name in the lock file.
    init(for destination: StateFile, size: Int, noting lock: FileLock) throws(SystemCallError) {
        var generator = SystemRandomNumberGenerator()
        let random: UInt64 = generator.next()
        let tag = Fingerprint.hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: random >> ($0 * 8)) })
        try lock.write(note: tag)
        self.destination = destination
        path = Self.path(for: destination, tag)
        file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do {
            try file.setPermissions(0o600)
            try file.preallocate(size)
        } catch {
            discard()
            throw error
        }
    }

    /// Writes the content to the disk, then puts it in the place of its destination.
    func commit(_ content: [UInt8]) throws(SystemCallError) {
        try file.overwrite(with: content)
        try file.synchronize()
        try SystemCallError.check { rename(path, destination.path) }
        try FilePath.synchronizeFolder(destination.folder)
    }

    /// Removes it, unless it was committed.
    func discard() { _ = unlink(path) }

    /// Removes what a holder of the lock left behind when it crashed; a note that no holder wrote is passed over.
    static func removeLeftover(of destination: StateFile, notedIn lock: FileLock) throws(SystemCallError) {
        let tag = try lock.readNote()
        guard tag.utf8.count == 16, tag.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return }
        _ = unlink(path(for: destination, tag))
    }

    private static func path(for destination: StateFile, _ tag: String) -> String { "\(destination.path).\(tag).tmp" }
}
