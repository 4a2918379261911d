#if os(Linux)
    import AuthStateOAuth
    import Foundation
    import Testing

    @testable import AuthStateKit

    /// Addresses are checked where the socket is opened; nothing here leaves the machine.
    @Suite("libcurl: addresses", .timeLimit(.minutes(5)))
    struct CurlAddressTests {
        let transport = CurlTransport()

        @Test(
            "a request for public addresses reaches none of this machine, by number or by name",
            arguments: [
                "127.0.0.1", "127.1", "0x7f000001", "0.0.0.0", "localhost", "op.localhost", "[::ffff:127.0.0.1]",
            ])
        func refused(_ host: String) async throws {
            let server = RawServer { _ in [.answer()] }
            var request = try TransportRequest("http://\(host):\(server.port)/token?secret", method: "POST", body: "x")
            request.addressPolicy = .publicOnly
            let error = try #require(try await failure(transport, request))
            #expect(error.code == .addressNotAllowed && !error.requestMayHaveBeenSent)
            #expect(error.message.contains("\(host):\(server.port) leads to") && !error.message.contains("secret"))
            #expect(server.requests.isEmpty)

            let mapped = AuthStateError(error, url: "http://\(host)", stage: .discovery)
            #expect(mapped.code == .addressNotAllowed && mapped.kind == .configuration)
        }

        @Test("a connection that another request opened is not used")
        func keptConnection() async throws {
            let server = RawServer { _ in [.answer()] }
            var request = try TransportRequest(server.url)
            _ = try await transport.send(request)
            request.addressPolicy = .publicOnly
            #expect(try await failure(transport, request)?.code == .addressNotAllowed)
            request.addressPolicy = .any
            _ = try await transport.send(request)
            #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.connection == 0 })
        }

        @Test("no proxy resolves the name in its place")
        func proxy() async {
            await #expect(processExitsWith: .success) {
                let proxy = RawServer { _ in [.answer(body: "proxy"), .close] }
                for name in ["http_proxy", "all_proxy"] { setenv(name, proxy.url, 1) }
                var request = try TransportRequest("http://op.invalid/")
                #expect(try await CurlTransport().send(request).status == 200)
                request.addressPolicy = .publicOnly
                #expect(try await failure(CurlTransport(), request)?.code == .unreachable)
                #expect(proxy.requests.count == 1)
            }
        }
    }
#endif
