import AsyncHTTPClient
import AuthStateKit
import AuthStateOAuth
import Foundation
import NIOSSL

/// GET requests to one server on loopback: the library's transport beside async-http-client.
enum Transports {
    static let benchmarks = [
        Benchmark(name: "transport-latency") { try await plain(tasks: 1, calls: 2_000, goal: 1, rounds: $0) },
        Benchmark(name: "transport-throughput-8") { try await plain(tasks: 8, calls: 8_000, goal: 1, rounds: $0) },
        Benchmark(name: "transport-throughput-64") { try await plain(tasks: 64, calls: 8_000, goal: 1, rounds: $0) },
        Benchmark(name: "http-burst", rounds: 31) {
            try await plain(tasks: 1_000, calls: 1_000, goal: 0.9, rounds: $0)
        },
        Benchmark(name: "tls-8", rounds: 11) { try await secure(tasks: 8, calls: 4_000, rounds: $0) },
        Benchmark(name: "tls-64", rounds: 11) { try await secure(tasks: 64, calls: 4_000, rounds: $0) },
        Benchmark(name: "tls-burst", rounds: 31) { try await secure(tasks: 1_000, calls: 1_000, rounds: $0) },
    ]

    /// Without TLS, by the clients that a process shares.
    private static func plain(tasks: Int, calls: Int, goal: Double, rounds: Int) async throws -> Report {
        let server = try Peer.ofThisProgram("--serve")
        guard let port = server.line() else { return Report("The server runs on Linux alone.") }
        let url = "http://127.0.0.1:\(port)/userinfo"
        // The server ends with its last reference.
        defer { withExtendedLifetime(server) {} }
        let contenders = [
            contender(HTTPClient.shared, url), contender(SystemTransport.shared, url, goal: .ratio(goal)),
        ]
        let rows = try await compare(contenders, tasks: tasks, calls: calls, rounds: rounds)
        return Report(rows, to: contenders[0].name)
    }

    /// With TLS, by clients that trust the system's authorities and a file.
    private static func secure(tasks: Int, calls: Int, rounds: Int) async throws -> Report {
        guard let server = try TLSServer.start() else { return Report(TLSServer.absence) }
        defer { withExtendedLifetime(server) {} }
        let transport = SystemTransport(certificateAuthorityFile: server.authorities)
        return try await withAsyncHTTPClient(trusting: server.authorities) { client in
            let contenders = [
                contender(client, server.url), contender(transport, server.url, goal: .ratio(tasks < 64 ? 0.9 : 0.8)),
            ]
            let rows = try await compare(contenders, tasks: tasks, calls: calls, rounds: rounds)
            return Report(rows, to: contenders[0].name)
        }
    }

    /// Makes a client with the settings of the shared one, which trusts the authorities of a file too.
    static func withAsyncHTTPClient<R>(
        trusting authorities: String, _ body: (HTTPClient) async throws -> R
    ) async throws -> R {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.file(authorities)]
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(client)
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    static func contender(_ client: HTTPClient, _ url: String, goal: Goal? = nil) -> Contender {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "application/json")
        return Contender("async-http-client", goal: goal) { [request] count in
            for _ in 0..<count {
                let response = try await client.execute(request, timeout: .seconds(30))
                let body = try await response.body.collect(upTo: 4 << 20)
                precondition(response.status == .ok && body.readableBytes == 1_024, "wrong answer")
            }
        }
    }

    static func contender(_ transport: SystemTransport, _ url: String, goal: Goal? = nil) -> Contender {
        let request = URL(string: url).map { TransportRequest(url: $0, headers: ["Accept": "application/json"]) }
        return Contender("SystemTransport", goal: goal) { count in
            guard let request else { return }
            for _ in 0..<count {
                let response = try await transport.send(request)
                precondition(response.status == 200 && response.body.count == 1_024, "wrong answer")
            }
        }
    }
}
