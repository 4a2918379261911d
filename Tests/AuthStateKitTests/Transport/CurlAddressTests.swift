#if os(Linux)
    import Foundation
    import Testing

    @testable import AuthStateKit

    /// Addresses are checked where the socket is opened; nothing here leaves the machine.
    @Suite(.timeLimit(.minutes(5))) struct CurlAddressTests {
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

            let mapped = AuthStateError(error, stage: .discovery)
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

        @Test("a proxy that resolves names gets those of https, and no address or name of an internal host")
        func nameForProxy() async {
            await #expect(processExitsWith: .success) {
                let proxy = RawServer { _ in [.answer("502 Bad Gateway"), .close] }
                setenv("https_proxy", proxy.url, 1)
                setenv("no_proxy", "direct.invalid, .exempt.invalid", 1)
                func send(_ url: String) async throws -> TransportError? {
                    var request = try TransportRequest(url)
                    request.addressPolicy = .publicOnly
                    return try await failure(CurlTransport(), request)
                }
                let refused = try await send("https://op.invalid/token")
                #expect(refused?.code == .unreachable && refused?.message.contains("answered 502") == true)
                #expect(refused?.message.contains("127.0.0.1:\(proxy.port) (https_proxy)") == true)
                #expect(proxy.requests.map { $0.head.prefix { $0 != "\r\n" } } == ["CONNECT op.invalid:443 HTTP/1.1"])
                for host in ["10.0.0.1", "169.254.169.254", "[fd00::1]", "0x7f000001", "localhost", "op.localhost"] {
                    #expect(try await send("https://\(host)/")?.code == .addressNotAllowed, "\(host)")
                }
                for host in ["direct.invalid", "op.exempt.invalid"] { _ = try await send("https://\(host)/") }
                // Such a proxy may be given an address that was not checked.
                setenv("https_proxy", proxy.url.replacing("http", with: "socks5"), 1)
                _ = try await send("https://op.invalid/")
                #expect(proxy.requests.count == 1)
            }
        }

        @Test("no proxy resolves the name of an http request in its place")
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
