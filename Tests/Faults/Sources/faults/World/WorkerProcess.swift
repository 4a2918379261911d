import AuthStateKit
import Foundation

/// A worker that was started.
struct WorkerProcess {
    private let program: Program

    init(_ task: WorkerTask) throws {
        let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        program = try Program.start([
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), "worker", text,
        ])
    }

    /// Runs a task to its end.
    static func run(_ task: WorkerTask) async throws -> WorkerResult {
        try await WorkerProcess(task).result(within: .seconds(60 + task.seconds))
    }

    /// Runs a task many times at once; also tells the seconds from the first start to the last end.
    static func run(_ task: WorkerTask, times: Int) async throws -> (results: [WorkerResult], seconds: Double) {
        let start = ContinuousClock.now
        let workers = try (0..<times).map { _ in try WorkerProcess(task) }
        var results: [WorkerResult] = []
        for worker in workers { results.append(try await worker.result(within: .seconds(60 + task.seconds))) }
        return (results, (ContinuousClock.now - start).seconds)
    }

    /// Waits for the end.
    func result(within limit: Duration) async throws -> WorkerResult {
        WorkerResult(try await program.result(within: limit))
    }

    /// Ends it as `kill -9` does.
    func kill() { program.send(SIGKILL) }
}

/// The exit status and the output of a worker.
struct WorkerResult {
    let status: Int32
    let events: [WorkerEvent]
    let errors: String

    static let killed = 128 + SIGKILL

    init(_ result: Program.Result) {
        status = result.status
        errors = result.errors
        events = result.output.split(separator: "\n").compactMap { line in
            // The last line of a worker that was killed may be a part of one.
            try? JSONDecoder().decode(WorkerEvent.self, from: Data(line.utf8))
        }
    }

    var tokens: [String] { events.compactMap { if case .token(let name) = $0 { name } else { nil } } }
    var failures: [AuthStateError] { events.compactMap { if case .failed(let error) = $0 { error } else { nil } } }
    var summary: WorkerSummary? { events.compactMap { if case .ended(let summary) = $0 { summary } else { nil } }.last }

    /// The outcome of a worker that asked once, in a few words.
    var outcome: String { failures.first?.code.rawValue ?? (tokens.isEmpty ? "status \(status) \(errors)" : "token") }
}
