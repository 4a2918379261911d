import Foundation

/// A program that was started, with its output kept in files until it has ended.
///
/// Foundation's `Process` would take a program for running as long as one of its children is.
final class Program: Sendable {
    struct Result: Sendable {
        /// The exit status; 128 and the signal's number when a signal ended it.
        var status: Int32
        var output: String
        /// Standard error.
        var errors: String
    }

    private let child: Child
    private let folder: TemporaryFolder

    private init(_ words: [String], environment: [String: String], input: Int32?) throws {
        folder = try TemporaryFolder()
        // No test uses the keyring of the user who runs it.
        var inherited = ProcessInfo.processInfo.environment
        inherited["DBUS_SESSION_BUS_ADDRESS"] = nil
        inherited["XDG_RUNTIME_DIR"] = nil
        child = try Child(
            words, environment: inherited.merging(environment) { $1 }, input: input,
            output: .file(folder("stdout")), errors: .file(folder("stderr")))
    }

    /// Starts a program, found through `PATH`; the variables are set beside those of this process.
    ///
    /// - Parameter input: A descriptor that becomes its standard input; nil for none.
    static func start(
        _ words: [String], environment: [String: String] = [:], input: Int32? = nil
    ) throws -> Program {
        try Program(words, environment: environment, input: input)
    }

    /// Runs a program to its end.
    static func run(
        _ words: [String], environment: [String: String] = [:], within limit: Duration = .seconds(60)
    ) async throws -> Result {
        try await start(words, environment: environment).result(within: limit)
    }

    /// The first line of standard output, as soon as it is whole; nil when the program ends without one.
    ///
    /// - Parameter limit: The time to wait; two minutes is what a program's start may take beside a whole run of tests.
    func firstLine(within limit: Duration = .seconds(120)) async throws -> String? {
        try await eventually("a line of output", within: limit) { () -> String?? in
            let hasEnded = child.status() != nil
            let output = output
            if let end = output.firstIndex(of: "\n") { return .some(String(output[..<end])) }
            return hasEnded ? .some(nil) : nil
        }
    }

    /// The process.
    var id: pid_t { child.id }

    /// Whether the program has ended.
    var hasEnded: Bool { child.status() != nil }

    /// Waits for the end; a program that takes longer than it may is killed.
    func result(within limit: Duration = .seconds(60)) async throws -> Result {
        do {
            let status = try await eventually("the end of a program", within: limit) { child.status() }
            return Result(status: status, output: output, errors: errors)
        } catch {
            send(SIGKILL)
            throw error
        }
    }

    /// Ends the program and waits for its end: Swift Testing sees no exit test end while another ended child is left.
    func end() async {
        send(SIGTERM)
        _ = try? await result(within: .seconds(10))
    }

    /// Kills the program and waits for its end, which takes no time: for `deinit`, which cannot use `end()`.
    func kill() {
        child.send(SIGKILL)
        child.wait()
    }

    /// Sends a signal, unless the program has ended.
    func send(_ signal: Int32) { child.send(signal) }

    /// The standard output so far.
    var output: String { folder.text("stdout") }

    /// The standard error so far.
    var errors: String { folder.text("stderr") }
}
