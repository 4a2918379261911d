import CBenchmarks
import Foundation

/// A part of the report.
struct Benchmark: Sendable {
    let name: String
    let report: @Sendable (_ rounds: Int) async throws -> String
}

@main
enum Benchmarks {
    static let all =
        // Pools first: they look at the process's memory.
        Pools.benchmarks + HotPath.benchmarks + Transports.benchmarks + Signatures.benchmarks + IDTokens.benchmarks
        + [Proofs.benchmark, RenewalStorm.benchmark, DurableSave.benchmark]

    static func main() async throws {
        var filter = ""
        var rounds = 15
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch (argument, arguments.first) {
            // The program starts itself this way as the server that the transports ask.
            case ("--serve", _): return BenchmarksServe()
            case ("--filter", let text?):
                filter = text
                arguments.removeFirst()
            case ("--rounds", let text?):
                rounds = max(1, Int(text) ?? rounds)
                arguments.removeFirst()
            default:
                print("usage: Benchmarks [--filter NAME] [--rounds N]\n\n\(all.map(\.name).joined(separator: "\n"))")
                exit(argument == "--help" ? 0 : 64)
            }
        }
        for benchmark in all where filter.isEmpty || benchmark.name.contains(filter) {
            print("## \(benchmark.name)\n\n\(try await benchmark.report(rounds))\n")
            fflush(nil)
        }
    }
}
