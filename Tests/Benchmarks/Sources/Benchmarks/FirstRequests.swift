import AuthStateKit
import AuthStateOAuth
import Foundation

/// The first HTTPS request of a process: loading libraries, reading authorities, connecting.
enum FirstRequests {
    /// The client that a child process sends its request with.
    enum Client: String {
        case asyncHTTPClient = "async-http-client"
        case systemTransport = "SystemTransport"
        /// With libcurl, and the libraries that it is linked to, of which the transport decides nothing, loaded before.
        case preparedTransport = "SystemTransport after prepare()"
    }

    static let benchmark = Benchmark(name: "first-request", rounds: 9) { rounds in
        guard let server = try TLSServer.start() else { return Report(TLSServer.absence) }
        let contenders =
            [child(.asyncHTTPClient, server), curl(server)].compactMap { $0 }
            + [child(.systemTransport, server), child(.preparedTransport, server, goal: .ratio(1))]
        let rows = try await compare(contenders, tasks: 1, calls: 4, rounds: rounds)
        return Report(rows, to: contenders[0].name)
    }

    /// Returns the time of one request, in a process that has sent none.
    static func nanoseconds(_ client: Client, url: String, authorities: String) async throws -> Double {
        switch client {
        case .asyncHTTPClient:
            return try await Transports.withAsyncHTTPClient(trusting: authorities) {
                try await Transports.contender($0, url).round(1, 1)
            }
        case .systemTransport, .preparedTransport:
            if client == .preparedTransport { SystemTransport.prepare() }
            return try await Transports.contender(SystemTransport(certificateAuthorityFile: authorities), url).round(
                1, 1)
        }
    }

    private static func child(_ client: Client, _ server: TLSServer, goal: Goal? = nil) -> Contender {
        Contender("\(client.rawValue), the first send", goal: goal) { _, calls in
            var sum = 0.0
            for _ in 0..<calls {
                let child = try Peer.ofThisProgram("--first-request", client.rawValue, server.url, server.authorities)
                guard let time = child.line().flatMap(Double.init) else { throw CocoaError(.fileReadUnknown) }
                sum += time
            }
            return sum / Double(calls)
        }
    }

    /// Returns curl's whole process, less one that sends nothing; nil, with a line for the reader, without curl.
    ///
    /// It trusts the same authorities: the file, and the system's folder, of which it reads only the certificate that it
    /// needs.
    private static func curl(_ server: TLSServer) -> Contender? {
        let request = ["curl", "--silent", "--cacert", server.authorities, "--capath", "/etc/ssl/certs", server.url]
        guard (try? wholeProcess(request)) != nil else {
            print("curl is missing, or could not send a request: left out.\n")
            return nil
        }
        return Contender("curl with a hashed folder, less an empty process") { _, calls in
            var sum = 0.0
            for _ in 0..<calls {
                sum += try wholeProcess(request) - wholeProcess(["curl", "--version"])
            }
            return sum / Double(calls)
        }
    }
}
