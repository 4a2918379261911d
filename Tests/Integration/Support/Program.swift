import Foundation

/// A program that was started, with its output kept in files until it has ended.
struct Program: Sendable {
    /// What a program that has ended left behind.
    struct Result: Sendable {
        /// The exit status; 128 and the signal's number when a signal ended it.
        var status: Int32
        /// Standard output.
        var output: String
        /// Standard error.
        var errors: String
    }

    private let process: Process
    private let folder: TemporaryFolder

    /// Starts a program, found through `PATH`; the variables are set beside those of this process.
    static func start(
        _ words: [String], environment: [String: String] = [:], input: String? = nil
    ) throws -> Program {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A child inherits the signals that its parent's thread blocks, and threads of a pool block them.
        process.arguments = ["--default-signal=INT,TERM"] + words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try folder.file("stdin", containing: input ?? "").reading
        process.standardOutput = try folder.file("stdout").writing
        process.standardError = try folder.file("stderr").writing
        try process.run()
        return Program(process: process, folder: folder)
    }

    /// Runs a program to its end.
    static func run(
        _ words: [String], environment: [String: String] = [:], input: String? = nil,
        within limit: Duration = .seconds(60)
    ) async throws -> Result {
        try await start(words, environment: environment, input: input).result(within: limit)
    }

    /// The first line of standard output, as soon as it is whole; nil when the program ends without one.
    func firstLine(within limit: Duration) async throws -> String? {
        let line = try await eventually("a line of output", within: limit) { () -> String?? in
            if let end = output.firstIndex(of: "\n") { return .some(String(output[..<end])) }
            return process.isRunning ? nil : .some(nil)
        }
        return line
    }

    /// Waits for the end; a program that takes longer than it may is killed.
    func result(within limit: Duration = .seconds(60)) async throws -> Result {
        do { try await eventually("the end of a program", within: limit) { process.isRunning ? nil : () } } catch {
            send(SIGKILL)
            throw error
        }
        // Foundation tells of the end before the status is in its place.
        process.waitUntilExit()
        let signal: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
        return Result(status: signal + process.terminationStatus, output: output, errors: errors)
    }

    /// Sends a signal, unless the program has ended.
    func send(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// What stands on standard error by now.
    var errors: String { folder.text("stderr") }

    private var output: String { folder.text("stdout") }
}
