import AuthStateKit
import Foundation

/// Reading and writing a state's archive, beside Python's json with the same bytes.
enum Archives {
    static let benchmarks = [
        Benchmark(name: "archive-decode") { rounds in
            let archive = try archive()
            let ours = Contender(working: "AuthStateArchive(data:)", goal: .ratio(1.5)) { count in
                for _ in 0..<count { _ = try AuthStateArchive(data: archive) }
            }
            return try await report(archive, "loads", ours, rounds: rounds)
        },
        Benchmark(name: "archive-encode") { rounds in
            let archive = try archive()
            let record = try AuthStateArchive(data: archive).record
            let ours = Contender(working: "data()", goal: .ratio(1.5)) { count in
                for _ in 0..<count { _ = try AuthStateArchive(record).data() }
            }
            return try await report(archive, "dumps", ours, rounds: rounds)
        },
    ]

    /// A login's archive, with tokens that mean nothing to the client and are short.
    private static func archive() throws -> Data {
        var record = try PooledStates.record(idTokenLength: nil)
        record.lastTokenResponse?.accessToken = String(repeating: "a", count: 43)
        return try AuthStateArchive(record).data()
    }

    private static func report(
        _ archive: Data, _ function: String, _ ours: Contender, rounds: Int
    ) async throws -> Report {
        let folder = try TemporaryFolder()
        let file = try folder.write(archive, as: "archive")
        let python = try Peer(["python3", "-c", script, file, function])
        let floor = Contender("Python's json.\(function)") { _, calls in
            try python.send("\(calls)")
            guard let line = python.line(), let time = Double(line) else { throw CocoaError(.fileReadUnknown) }
            return time
        }
        let isThere = (try? await floor.round(1, 1)) != nil
        if !isThere { print("python3 could not be started: left out.\n") }
        let contenders = isThere ? [floor, ours] : [ours]
        let rows = try await compare(contenders, tasks: 1, calls: 1_000, rounds: rounds, of: .processorTime)
        let report = Report(rows, to: contenders[0].name)
        return Report("An archive of \(archive.count) bytes.\n\n\(report.text)", report.figures)
    }

    /// Reads numbers of calls, and answers each with the processor time of one call.
    private static let script = """
        import json, sys, time
        text = open(sys.argv[1], 'rb').read()
        value = json.loads(text)
        work = {'loads': lambda: json.loads(text), 'dumps': lambda: json.dumps(value)}[sys.argv[2]]
        for line in sys.stdin:
            start = time.process_time_ns()
            for _ in range(int(line)):
                work()
            print((time.process_time_ns() - start) / int(line), flush=True)
        """
}
