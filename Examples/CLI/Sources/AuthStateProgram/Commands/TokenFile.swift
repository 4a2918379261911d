import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Keeps a fresh access token in a file, for programs that read one.
struct TokenFile: Command {
    static let configuration = CommandConfiguration(
        commandName: "token-file", _superCommandName: "authstate",
        abstract: "Keep a fresh access token in a file, until interrupted.",
        discussion: """
            A reader sees a whole token, the former one or the new one. The file stays at the end. When the provider or the \
            stored login cannot be reached, it keeps the last token, and the renewal is tried again. When the login has ended, \
            the command ends with 77; when the provider refuses the client, with 78.
              authstate token-file /run/app/token

            Under systemd use Type=notify: the service is ready when the file has a token.
            """)
    static let stage = AuthStateError.Stage.refresh

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), transform: FileName.expanded)
    var path: String

    @Option(
        help: ArgumentHelp("The permissions of the file, as chmod(1) writes them.", valueName: "mode"))
    var mode = "0600"

    @Option(
        help: ArgumentHelp(
            "Replace a token that is valid for less than so many seconds, and for less than half of its lifetime.",
            valueName: "s"))
    var minValidity: Double = 120

    @Option(help: ArgumentHelp("The token to keep: access, or id, which AWS and Kubernetes take.", valueName: "kind"))
    var tokenType = TokenType.access

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    var runsUntilInterrupted: Bool { true }

    func validate() throws {
        guard let mode = UInt32(mode, radix: 8), mode <= 0o777, mode & 0o600 == 0o600 else {
            throw ValidationError(
                "--mode has to be three octal digits that let the owner read and write, such as 0600 or 0640.")
        }
        if !(minValidity >= 0 && minValidity <= 86_400) {
            throw ValidationError("--min-validity has to be from 0 to 86400 seconds.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let file = ReplacedFile(path, mode: UInt32(mode, radix: 8) ?? 0o600)
        do throws(ReplacedFile.Fault) { try file.check() } catch { throw Self.unwritable(path, error) }
        defer { ServiceManager.notify("STOPPING=1") }
        try await context.session().withState { state in
            do { try await keep(file, of: state, context.console) } catch is CancellationError {}
        }
        return .printed
    }

    /// Writes each new token, until the task is cancelled or the login has ended.
    private func keep(_ file: ReplacedFile, of state: AuthState, _ console: Console) async throws -> Never {
        var written: String?
        // A failure is told once, and its end too.
        var failure: AuthStateError.Code?
        // Smaller for a token that no renewal has replaced: the next one is tried after half of the time that it has.
        var longest = minValidity
        while true {
            var pause = 10.0
            do {
                let (token, end, left) = try await fresh(state, validFor: longest)
                pause = left > 0 || token != written ? min(10, max(1, left)) : 10
                if token != written {
                    longest = minValidity
                } else if left <= 0, let end {
                    longest = max(0, end.timeIntervalSinceNow / 2)
                }
                if token != written {
                    do throws(ReplacedFile.Fault) { try file.write(Data("\(token)\n".utf8)) } catch {
                        throw Self.unwritable(path, error)
                    }
                    let time = end?.formatted(.iso8601) ?? "an unknown time"
                    ServiceManager.notify("READY=1", "STATUS=The token is valid until \(time).")
                    if written == nil { console.show(Report(json: ["file": .string(path), "ready": true])) }
                    written = token
                }
                if failure != nil { console.note("authstate: The token in \(path) is fresh again.") }
                failure = nil
            } catch let error as AuthStateError where written != nil && [.transient, .store].contains(error.kind) {
                if failure != error.code {
                    console.note("authstate: \(path) keeps the last token: \(error)")
                    ServiceManager.notify("STATUS=Keeps the last token: \(error.message)")
                }
                failure = error.code
                pause = min(max(error.retryAfter.map { $0 / .seconds(1) } ?? 10, 5), 300)
            }
            // Short enough to notice a logout, and another login, of another process.
            try await Task.sleep(for: .seconds(pause))
        }
    }

    /// Returns the token, its end, and the seconds after which another one is wanted.
    private func fresh(_ state: AuthState, validFor longest: Double) async throws -> (
        token: String, end: Date?, left: Double
    ) {
        let issued = try await tokenType == .id ? state.idTokenLifetime : state.freshTokens().lifetime
        let lifetime = issued.map { $0 / .seconds(1) } ?? .infinity
        // Of a token that lives for a short time, half of that.
        let validity = min(longest, lifetime / 2)
        let (token, end) = try await state.freshToken(tokenType, for: "the reader", validFor: .seconds(validity))
        return (token, end, (end?.timeIntervalSinceNow ?? .infinity) - validity)
    }

    private static func unwritable(_ path: String, _ fault: ReplacedFile.Fault) -> AuthStateError {
        AuthStateError(
            .storeUnwritable, stage: .store, "The token cannot be written to its file.",
            expected: "a file in a folder that you can write to", received: "\(URL(filePath: path).path): \(fault)",
            hint: "Choose another file, or make its folder writable.")
    }
}
