import Foundation

/// A disk of a megabyte in memory, unmounted with the last reference; only root can have one.
final class SmallDisk: Sendable {
    let path: String
    private let folder: TemporaryFolder

    /// Nil where mounting is not allowed.
    init?() throws {
        folder = try TemporaryFolder()
        path = folder.path
        guard mount("tmpfs", path, "tmpfs", 0, "size=1m,mode=700") == 0 else { return nil }
    }

    deinit { umount(path) }

    /// Takes all space that is left.
    func fill() throws {
        let file = open("\(path)/ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 0, count: 4096)
        while write(file, block, block.count) > 0 {}
    }

    /// Gives it back.
    func empty() { unlink("\(path)/ballast") }

    /// Forbids or allows writing; waits until no file is open for writing.
    func setWritable(_ isWritable: Bool) async throws {
        let flags = UInt(MS_REMOUNT) | (isWritable ? 0 : UInt(MS_RDONLY))
        try await eventually("a remount") { mount("tmpfs", path, "tmpfs", flags, "size=1m,mode=700") == 0 ? true : nil }
    }
}
