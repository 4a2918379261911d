#if os(Linux)
    import AuthStateJOSE
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct CurlTransportFailureTests {
        let transport = CurlTransport()

        @Test("a server that never answers, or never ends, runs into the timeout", arguments: [false, true])
        func timeout(drips: Bool) async throws {
            let server = RawServer { _ in drips ? [.text("HTTP/1.1 200 OK\nContent-Length: 100000\n\n"), .drip] : [] }
            var request = try TransportRequest(server.url + "/token?code=secret")
            request.timeout = .milliseconds(300)
            let start = ContinuousClock.now
            let error = try #require(try await failure(transport, request))
            #expect(error.code == .timedOut)
            #expect(error.requestMayHaveBeenSent)
            #expect(error.message.contains("127.0.0.1:\(server.port)") && !error.message.contains("secret"))
            #expect((.milliseconds(290)..<(.seconds(60))).contains(ContinuousClock.now - start))
            try await eventually { server.openConnections == 0 }
        }

        @Test("a body longer than the limit is refused, at the limit it is taken", arguments: [9, 10])
        func limit(bytes: Int) async throws {
            let server = RawServer { _ in [.answer(body: "0123456789")] }
            var request = try TransportRequest(server.url)
            request.maximumResponseBytes = bytes
            #expect(try await failure(transport, request)?.code == (bytes < 10 ? .responseTooLarge : nil))
        }

        @Test func `the limit counts decompressed bytes`() async throws {
            let server = RawServer { _ in
                let bytes = gzippedMebibyte
                let head = "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(bytes.count)\n\n"
                return [.text(head), .send(bytes)]
            }
            var request = try TransportRequest(server.url)
            request.maximumResponseBytes = 1 << 16
            let error = try #require(try await failure(transport, request))
            #expect(error.code == .responseTooLarge)
            #expect(error.requestMayHaveBeenSent)
        }

        @Test func `a header section without end is refused`() async throws {
            let line = "X-Filler: " + String(repeating: "x", count: 1000) + "\n"
            let server = RawServer { _ in [.text("HTTP/1.1 200 OK\n" + String(repeating: line, count: 1000))] }
            #expect(try await failure(transport, TransportRequest(server.url))?.code == .responseTooLarge)
        }

        @Test(
            "an answer that breaks off or is not HTTP is a lost connection",
            arguments: [
                [.text("HTTP/1.1 200 OK\nContent-Length: 10\n\nabc"), .close],
                [.text("SSH-2.0-OpenSSH_9.2\n"), .close],
                [.text("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nabc"), .close], [.close], [.reset],
                [.text("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 3\n\nabc")],
            ] as [[RawServer.Action]])
        func broken(actions: [RawServer.Action]) async throws {
            let server = RawServer { _ in actions }
            let error = try #require(
                try await failure(transport, TransportRequest(server.url, method: .post, body: "x")))
            #expect(error.code == .connectionLost)
            #expect(error.requestMayHaveBeenSent)
            #expect(server.requests.count == 1)
        }

        @Test("a refused connection is known not to have carried the request")
        func refused() async throws {
            // Bound and not listening: no other test can take the port, and nothing answers on it.
            let reserved = try ReservedPort()
            let port = reserved.number
            let url = "http://127.0.0.1:\(port)/token?secret"
            let error = try #require(try await failure(transport, TransportRequest(url, method: .post, body: "x")))
            #expect(error.code == .unreachable)
            #expect(!error.requestMayHaveBeenSent)
            #expect(error.message == "Could not connect to 127.0.0.1:\(port): connection refused.")
        }

        @Test func `a moment without descriptors is told as one, and the next request is sent`() async {
            // In a process of its own: the limit is every test's, and libcurl has not been opened.
            await #expect(processExitsWith: .success) {
                let (server, transport) = (RawServer { _ in [.answer()] }, CurlTransport())
                let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                var limit = rlimit()
                #expect(getrlimit(resource, &limit) == 0)
                let usual = limit.rlim_cur
                limit.rlim_cur = 3
                #expect(setrlimit(resource, &limit) == 0)
                let error = try await failure(transport, TransportRequest(server.url))
                limit.rlim_cur = usual
                #expect(setrlimit(resource, &limit) == 0)
                #expect(error?.code == .unreachable && error?.message.contains("ulimit -n") == true)
                #expect(try await failure(transport, TransportRequest(server.url)) == nil)
                // libcurl's opening looks for libcrypto first.
                #expect(try OpenSSLBackend().digest(.sha256, of: []).count == 32)
            }
        }

        @Test func `a name that does not exist is unreachable`() async throws {
            let error = try #require(try await failure(transport, TransportRequest("http://op.invalid/")))
            #expect(error.code == .unreachable)
            #expect(!error.requestMayHaveBeenSent)
            #expect(error.message.contains("op.invalid:80"))
        }

        @Test func `TLS to a server that speaks none fails before the request is sent`() async throws {
            let server = RawServer { _ in [.answer()] }
            var request = try TransportRequest("https://127.0.0.1:\(server.port)/", method: "POST", body: "x")
            request.timeout = .seconds(2)
            let error = try #require(try await failure(transport, request))
            #expect(!error.requestMayHaveBeenSent)
            #expect(server.requests.isEmpty)
        }

        @Test("a POST over a kept connection that dies is not repeated, a GET is", arguments: ["POST", "GET"])
        func deadConnection(method: String) async throws {
            let server = RawServer { request in
                request.head.contains("/dies") && request.connection == 0 ? [.close] : [.answer()]
            }
            _ = try await transport.send(TransportRequest(server.url + "/first"))
            let body = method == "POST" ? "" : nil
            let error = try await failure(
                transport, TransportRequest(server.url + "/dies", method: .init(rawValue: method), body: body))
            let attempts = server.requests.filter { $0.head.contains("/dies") }.count
            if method == "POST" {
                #expect(error?.code == .connectionLost)
                #expect(error?.requestMayHaveBeenSent == true)
                #expect(attempts == 1)
            } else {
                #expect(error == nil)
                #expect(attempts == 2)
            }
        }

        @Test("a POST over a kept connection that dies counts as sent when the server then lets no client connect")
        func deadServer() async throws {
            let server = RawServer { request in
                request.head.contains("/dies") ? [.stopListening, .close] : [.answer()]
            }
            _ = try await transport.send(TransportRequest(server.url + "/first"))
            let request = try TransportRequest(server.url + "/dies", method: .post, body: "x")
            let error = try #require(try await failure(transport, request))
            #expect(error.code == .connectionLost)
            #expect(error.requestMayHaveBeenSent)
            #expect(error.message.hasPrefix("127.0.0.1:\(server.port) closed the connection without an answer"))
            #expect(server.requests.count == 2)
        }

        @Test func `a file, and a header with a line break, are refused before anything is opened`() async throws {
            #expect(try await failure(transport, TransportRequest("file:///etc/passwd"))?.code == .invalidRequest)
            let injected = try TransportRequest("http://127.0.0.1:1/", headers: ["X": "1\r\nY: 2"])
            #expect(try await failure(transport, injected)?.code == .invalidRequest)
        }

        @Test func `a server that hangs up while the request is written does no harm`() async throws {
            let server = RawServer { _ in [.reset] }
            var request = try TransportRequest(server.url, method: .post)
            request.headers.append("Content-Length", "1")
            request.body = Data(count: 8 << 20)
            _ = try await failure(transport, request)
            #expect(try await failure(transport, TransportRequest(server.url))?.code == .connectionLost)
        }

        @Test func `the transport's thread has SIGPIPE blocked`() async throws {
            let server = RawServer { _ in [.answer()] }
            _ = try await transport.send(TransportRequest(server.url))
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            let masks = threads.compactMap { thread -> UInt64? in
                let path = "/proc/self/task/\(thread)/status"
                guard let status = try? String(contentsOfFile: path, encoding: .utf8),
                    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") })
                else { return nil }
                return UInt64(line.dropFirst(8), radix: 16)
            }
            // No other thread of this process blocks it.
            #expect(masks.contains { $0 & (1 << UInt64(SIGPIPE - 1)) != 0 })
        }
    }
#endif
