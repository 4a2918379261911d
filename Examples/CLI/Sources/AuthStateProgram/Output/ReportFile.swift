import AuthStateKit
import AuthStatePlatform
import AuthStateReport

/// The file that shows what a command did; a place that cannot be written is refused before the command begins.
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

    private let file: ReplacedFile
    private let form: Form

    init(_ path: String) throws {
        (file, form) = (ReplacedFile(path), Form(path) ?? .page)
        do { try file.check() } catch {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The report cannot be written; nothing has been done.",
                expected: "a file in a folder that you can write to", received: "\(path): \(error)",
                hint: "Choose another file with --report.")
        }
    }

    /// Whether there is a report already.
    var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Writes what was recorded.
    func write(_ trace: LoginTrace, failure: AuthStateError?) throws(ReplacedFile.Fault) {
        switch form {
        case .page: try file.write(Data(trace.htmlReport(program: "authstate", failure: failure).utf8))
        case .archive: try file.write(trace.harArchive())
        }
    }
}
