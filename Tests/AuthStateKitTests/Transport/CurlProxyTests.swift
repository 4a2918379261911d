#if os(Linux)
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct CurlProxyTests {
        @Test("a proxy of the environment carries no traffic to this machine")
        func loopback() async {
            // In a process of its own: the environment belongs to every test of this one.
            await #expect(processExitsWith: .success) {
                let proxy = RawServer { _ in [.answer(body: "proxy"), .close] }
                let server = RawServer { _ in [.answer(body: "server")] }
                for name in ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
                    setenv(name, proxy.url, 1)
                }
                let transport = CurlTransport()
                for host in ["127.0.0.1", "127.1", "localhost", "LOCALHOST", "login.localhost"] {
                    let url = server.url.replacing("127.0.0.1", with: host)
                    let answer = try await transport.send(TransportRequest(url))
                    #expect(String(decoding: answer.body, as: UTF8.self) == "server", "\(host)")
                }
                // Nothing listens there, or speaks TLS; only the proxy must not hear of it.
                for url in [
                    "http://127.0.0.2:\(server.port)/", "http://[::1]:\(server.port)/",
                    "https://127.0.0.1:\(server.port)/",
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

        @Test func `a proxy that does not answer is named, without its user`() async {
            await #expect(processExitsWith: .success) {
                for (name, url) in [("http_proxy", "http://op.example/"), ("ALL_PROXY", "https://op.example/")] {
                    setenv(name, "http://ada:secret@127.0.0.1:1", 1)
                    let error = try await failure(CurlTransport(), try TransportRequest(url))
                    let message = try #require(error?.message)
                    #expect(message.contains("the proxy 127.0.0.1:1 (\(name)) for op.example:"), "\(message)")
                    #expect(!message.contains("secret") && error?.code == .unreachable)
                }
                setenv("no_proxy", "op.invalid", 1)
                let direct = try await failure(CurlTransport(), try TransportRequest("https://op.invalid/"))
                #expect(direct?.message.contains("proxy") == false)
                setenv("ALL_PROXY", "proxy.invalid:3128", 1)
                let unknown = try await failure(CurlTransport(), try TransportRequest("https://op.example/"))
                #expect(unknown?.message.contains("proxy.invalid:3128 (ALL_PROXY)") == true)
            }
        }

        @Test(
            "a POST that a dead tunnel took is not sent again when the proxy refuses the next one",
            .enabled(if: TLSServer.isAvailable && ChangingTLSServer.isAvailable, "needs openssl and python3"))
        func deadTunnel() async {
            await #expect(processExitsWith: .success) {
                let provider = try TLSServer()
                let proxy = try ChangingTLSServer(provider, isProxy: true)
                setenv("https_proxy", proxy.url, 1)
                let transport = CurlTransport(configuration: .init(certificateAuthorityFile: provider.certificate))
                _ = try await transport.send(TransportRequest("https://op.example/first"))
                let request = try TransportRequest("https://op.example/token", method: .post, body: "x")
                let error = try #require(try await failure(transport, request))
                #expect(error.code == .connectionLost && error.requestMayHaveBeenSent, "\(error)")
                #expect(error.message.contains("503"), "\(error)")
                let connect = "CONNECT op.example:443 HTTP/1.1"
                #expect(proxy.finish() == [connect, "GET /first HTTP/1.1", "POST /token HTTP/1.1", connect])
            }
        }
    }
#endif
