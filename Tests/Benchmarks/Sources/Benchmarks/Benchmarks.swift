import CBenchmarks
import Foundation

/// A part of the report.
struct Benchmark: Sendable {
    let name: String
    /// The number of rounds when the command line names none.
    var rounds = 15
    let report: @Sendable (_ rounds: Int) async throws -> Report
}

@main
enum Benchmarks {
    static let all =
        // Pools first: they look at the process's memory.
        Pools.benchmarks + HotPath.benchmarks + Transports.benchmarks + [FirstRequests.benchmark]
        + Signatures.benchmarks + IDTokens.benchmarks + [Proofs.benchmark, Logins.benchmark] + Archives.benchmarks
        + [RenewalStorm.benchmark, DurableSave.benchmark, FileRenewals.benchmark, PostgresRenewals.benchmark]
        + SQLiteStates.benchmarks + ManyStates.benchmarks
        + [CommandLineStart.benchmark]

    static func main() async throws {
        let options = Options(CommandLine.arguments.dropFirst())
        switch options.role {
        case .server(let body): return body.withUnsafeBytes { BenchmarksServe($0.baseAddress, $0.count) }
        case .firstRequest(let client, let url, let authorities):
            return print(try await FirstRequests.nanoseconds(client, url: url, authorities: authorities))
        case .report: break
        }
        var figures: [Figure] = []
        let clock = ContinuousClock()
        let start = clock.now
        for benchmark in all where options.filter.isEmpty || benchmark.name.contains(options.filter) {
            let start = clock.now
            let report = try await benchmark.report(options.rounds ?? benchmark.rounds)
            figures += report.figures.map { $0.named(benchmark.name) }
            if options.showsOnlySummary { continue }
            print("## \(benchmark.name)\n\n\(report.text)\n\n\(seconds(clock.now - start)).\n")
            fflush(nil)
        }
        let baseline = Baseline.read()
        print("## summary\n\n\(summary(figures, baseline))\n\n\(seconds(clock.now - start)) in all.")
        if options.acceptsFigures { try baseline.updated(with: figures).write() }
    }

    private static func seconds(_ duration: Duration) -> String {
        String(format: "Took %.1f s", duration / .seconds(1))
    }
}
