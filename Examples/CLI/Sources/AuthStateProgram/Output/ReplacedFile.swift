import AuthStateKit
import AuthStatePlatform

/// A file whose content is replaced as a whole: a reader sees the former content or the new one.
struct ReplacedFile: Sendable {
    /// The reason why it cannot be written.
    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ code: Int32 = errno) { description = String(cString: strerror(code)) }
        init(_ description: String) { self.description = description }
    }

    let path: String
    /// The permissions of the file.
    let mode: UInt32
    /// The file beside it that takes its place.
    private let draft: String

    init(_ path: String, mode: UInt32 = 0o600) {
        (self.path, self.mode) = (path, mode)
        draft = "\(path).\(getpid()).part"
    }

    /// Makes sure that it can be written, and leaves nothing.
    func check() throws(Fault) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw Fault("this is no file") }
        close(try begin())
        unlink(draft)
    }

    func write(_ data: Data) throws(Fault) {
        let descriptor = try begin()
        do throws(Fault) {
            defer { close(descriptor) }
            // Without regard to the umask: the mode is what was asked for.
            guard fchmod(descriptor, mode_t(mode)) == 0 else { throw Fault() }
            guard writeAll([UInt8](data), to: descriptor) else { throw Fault() }
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let fault = Fault()
            unlink(draft)
            throw fault
        }
    }

    private func begin() throws(Fault) -> Int32 {
        // What is left of a process of this number that was killed.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault() }
        return descriptor
    }
}
