import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Starts `authstate-proxy`, a program of its own: it needs a network framework, which the other commands do without.
struct Proxy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", _superCommandName: "authstate",
        abstract: "Add fresh access tokens to the requests of a local program.",
        discussion: """
            Starts authstate-proxy with the same arguments, from this program's folder or PATH; \
            'authstate proxy --help' shows its options:
              authstate proxy https://api.example/v1
            """)

    static let program = "authstate-proxy"

    @Argument(parsing: .captureForPassthrough, help: "The arguments of authstate-proxy.")
    var arguments: [String] = []

    /// Replaces this process by the other program.
    ///
    /// - Throws: `ExitCode` when there is none, or when none that is there starts.
    func run() throws {
        var failure: (path: String, code: Int32)?
        for path in Self.candidates {
            let code = withCStrings([path] + arguments) { words in
                execv(path, words)
                return errno
            }
            // As a shell does: goes on behind a file that may not be run, and tells of it when no other starts.
            if code != ENOENT, code != ENOTDIR, failure == nil { failure = (path, code) }
        }
        let error =
            if let failure {
                AuthStateError(
                    .unsupported, stage: .usage,
                    "The proxy cannot be started: \(String(cString: strerror(failure.code))).",
                    received: failure.path)
            } else {
                Self.notInstalled
            }
        Console(isJSON: arguments.prefix { $0 != "--" }.contains("--json")).show(error)
        throw ExitCode(ExitReason(error.kind).rawValue)
    }

    /// There is no program for the proxy.
    static let notInstalled = AuthStateError(
        .unsupported, stage: .usage, "The proxy is a program of its own, and is not installed.",
        expected: "\(program) in this program's folder or in PATH",
        hint: "Build it with 'swift build -c release --package-path Examples/Proxy' and copy \(program) there.")

    /// Where the other program may be, in this order.
    static var candidates: [String] {
        let search = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        // A relative entry would name another program in each folder.
        return ([folder].compactMap { $0 } + search.filter { $0.hasPrefix("/") }).map { "\($0)/\(program)" }
    }

    /// The folder of the running program, links resolved; nil where the system does not tell it.
    private static var folder: String? {
        #if os(Linux)
            let own = "/proc/self/exe"
        #else
            let own = CommandLine.arguments[0]
            guard own.contains("/") else { return nil }
        #endif
        guard let path = realpath(own, nil) else { return nil }
        defer { free(path) }
        return String(cString: path).split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" }
    }
}
