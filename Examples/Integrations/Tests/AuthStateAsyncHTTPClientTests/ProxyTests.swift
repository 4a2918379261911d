#if os(Linux)
    import AsyncHTTPClient
    import AuthStateAsyncHTTPClient
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5)))
    struct ProxyTests {
        @Test("a proxy of the configuration carries no traffic to this machine")
        func loopback() async throws {
            let proxy = RawServer { _ in [.answer(body: "proxy")] }
            let server = RawServer { _ in [.answer(body: "server")] }
            try await with(proxy) { transport in
                for host in ["127.0.0.1", "localhost", "LOCALHOST"] {
                    let url = server.url.replacing("127.0.0.1", with: host)
                    let answer = try await transport.send(TransportRequest(url))
                    #expect(String(decoding: answer.body, as: UTF8.self) == "server", "\(host)")
                }
                // No server listens there, or one without TLS; only the proxy must not receive the request.
                for url in [
                    "http://127.0.0.2:\(server.port)/", "http://[::1]:\(server.port)/",
                    "http://op.localhost:\(server.port)/", "https://127.0.0.1:\(server.port)/",
                ] {
                    var request = try TransportRequest(url)
                    request.timeout = .seconds(2)
                    _ = try? await transport.send(request)
                }
                #expect(proxy.requests.isEmpty)

                let elsewhere = try await transport.send(TransportRequest("http://op.example/"))
                #expect(String(decoding: elsewhere.body, as: UTF8.self) == "proxy")
            }
        }

        @Test(
            "a request for public addresses reaches none of this machine, by number or by name",
            arguments: ["127.0.0.1", "127.1", "localhost", "named.example"])
        func addresses(_ host: String) async throws {
            let server = RawServer { _ in [.answer()] }
            var configuration = HTTPClient.Configuration()
            // As a hosts file would: the name itself looks public.
            configuration.dnsOverride = ["named.example": "127.0.0.1"]
            let transport = AsyncHTTPClientTransport(configuration: configuration)
            var request = try TransportRequest("http://\(host):\(server.port)/?secret", method: "POST", body: "x")
            request.addressPolicy = .publicOnly
            let error = try #require(try await failure(transport, request))
            #expect(error.code == .addressNotAllowed && !error.requestMayHaveBeenSent, "\(error)")
            #expect(error.message.contains("\(host):\(server.port) leads to") && !error.message.contains("secret"))
            #expect(server.requests.isEmpty)
            try await transport.shutdown()
        }

        @Test("no proxy resolves a name whose address has to be checked")
        func strict() async throws {
            let proxy = RawServer { _ in [.answer(body: "proxy"), .close] }
            try await with(proxy) { transport in
                var request = try TransportRequest("http://op.invalid/")
                request.addressPolicy = .publicOnly
                #expect(try await failure(transport, request)?.code == .unreachable)
            }
            #expect(proxy.requests.isEmpty)
        }

        private func with(_ proxy: RawServer, _ body: (AsyncHTTPClientTransport) async throws -> Void) async throws {
            var configuration = HTTPClient.Configuration()
            configuration.proxy = .server(host: "127.0.0.1", port: Int(proxy.port))
            let transport = AsyncHTTPClientTransport(configuration: configuration)
            try await body(transport)
            try await transport.shutdown()
        }
    }
#endif
