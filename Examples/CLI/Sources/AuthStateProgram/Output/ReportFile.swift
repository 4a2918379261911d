import AuthStateKit
import AuthStateReport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file that shows what a command did; it is opened before the command begins.
struct ReportFile: Sendable {
    /// What the file's name asks for.
    enum Form {
        case page, archive

        init?(_ name: String) {
            let name = name.lowercased()
            if name.hasSuffix(".html") || name.hasSuffix(".htm") {
                self = .page
            } else if name.hasSuffix(".har") {
                self = .archive
            } else {
                return nil
            }
        }
    }

    private let path: String
    /// The file beside it that takes its place when it is written.
    private let draft: String
    private let form: Form

    /// Makes the draft.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` when the file cannot be written.
    init(_ path: String) throws {
        (self.path, draft, form) = (path, "\(path).\(getpid()).part", Form(path) ?? .page)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let code = errno
        var isFolder = false
        if descriptor >= 0 {
            close(descriptor)
            var status = stat()
            isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            if isFolder { unlink(draft) }
        }
        guard descriptor >= 0, !isFolder else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The report cannot be written; nothing has been done.",
                expected: "a file in a folder that you can write to",
                received: "\(path): \(isFolder ? "a folder" : String(cString: strerror(code)))")
        }
    }

    /// Writes what was recorded.
    ///
    /// - Throws: An error of the system.
    func write(_ trace: LoginTrace, failure: AuthStateError?) throws {
        let data =
            switch form {
            case .page: Data(trace.htmlReport(program: "authstate", failure: failure).utf8)
            case .archive: trace.harArchive()
            }
        defer { unlink(draft) }
        try data.write(to: URL(filePath: draft))
        guard rename(draft, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
