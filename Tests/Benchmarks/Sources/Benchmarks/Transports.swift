import AsyncHTTPClient
import AuthStateKit
import AuthStateOAuth
import Foundation

/// GET requests to one server on loopback: the library's transport beside async-http-client.
enum Transports {
    static let benchmarks = [
        Benchmark(name: "transport-latency") { try await report(tasks: 1, calls: 2_000, rounds: $0) },
        Benchmark(name: "transport-throughput-8") { try await report(tasks: 8, calls: 8_000, rounds: $0) },
        Benchmark(name: "transport-throughput-64") { try await report(tasks: 64, calls: 8_000, rounds: $0) },
    ]

    private static func report(tasks: Int, calls: Int, rounds: Int) async throws -> Report {
        let server = try Peer.ofThisProgram("--serve")
        guard let port = server.line() else { return Report("The server runs on Linux alone.") }
        let url = "http://127.0.0.1:\(port)/userinfo"
        // The server ends with its last reference.
        defer { withExtendedLifetime(server) {} }
        let rows = try await compare(
            [asyncHTTPClient(url), systemTransport(url)], tasks: tasks, calls: calls, rounds: rounds)
        return Report(rows, to: "async-http-client")
    }

    private static func asyncHTTPClient(_ url: String) -> Contender {
        Contender("async-http-client") { count in
            for _ in 0..<count {
                var request = HTTPClientRequest(url: url)
                request.headers.add(name: "Accept", value: "application/json")
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
                let body = try await response.body.collect(upTo: 4 << 20)
                precondition(response.status == .ok && body.readableBytes == 1_024, "wrong answer")
            }
        }
    }

    private static func systemTransport(_ url: String) -> Contender {
        let request = URL(string: url).map { TransportRequest(url: $0, headers: ["Accept": "application/json"]) }
        return Contender("SystemTransport", goal: .ratio(1)) { count in
            guard let request else { return }
            for _ in 0..<count {
                let response = try await SystemTransport.shared.send(request)
                precondition(response.status == 200 && response.body.count == 1_024, "wrong answer")
            }
        }
    }
}
