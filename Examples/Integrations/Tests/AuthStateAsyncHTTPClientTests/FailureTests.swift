#if os(Linux)
    import AsyncHTTPClient
    import AuthStateAsyncHTTPClient
    import AuthStateKit
    import Foundation
    import NIOCore
    import Testing

    @Suite(.timeLimit(.minutes(5)))
    struct FailureTests {
        @Test("a server that never answers, or never ends, runs into the timeout", arguments: [false, true])
        func timeout(drips: Bool) async throws {
            let server = RawServer { _ in
                drips ? [.text("HTTP/1.1 200 OK\nContent-Length: 100000\n\n"), .drip] : []
            }
            var request = try TransportRequest(server.url + "/token?code=secret")
            request.timeout = .milliseconds(300)
            let start = ContinuousClock.now
            let error = try #require(try await failure(request))
            #expect(error.code == .timedOut)
            #expect(error.requestMayHaveBeenSent)
            #expect(error.message.contains("127.0.0.1:\(server.port)") && !error.message.contains("secret"))
            #expect((.milliseconds(290)..<(.seconds(10))).contains(ContinuousClock.now - start))
            try await eventually { server.openConnections == 0 }
        }

        @Test("a timeout while no connection is free is known not to have carried the request")
        func queued() async throws {
            let server = RawServer { _ in [] }
            try await withTransport { transport in
                // As many as there are connections to one host; they hang.
                let others = try (0..<8).map { _ in
                    let request = try TransportRequest(server.url + "/hang")
                    return Task { try await transport.send(request) }
                }
                try await eventually { server.requests.count == 8 }
                var request = try TransportRequest(server.url + "/late", method: "POST", body: "x")
                request.timeout = .milliseconds(200)
                let error = try #require(try await AuthStateAsyncHTTPClientTests.failure(transport, request))
                #expect(error.code == .timedOut)
                #expect(!error.requestMayHaveBeenSent)
                for task in others { task.cancel() }
                for task in others { _ = await task.result }
            }
            #expect(!server.requests.contains { $0.head.contains("/late") })
        }

        @Test("a body longer than the limit is refused, at the limit it is taken", arguments: [9, 10])
        func limit(bytes: Int) async throws {
            let server = RawServer { _ in [.answer(body: "0123456789")] }
            var request = try TransportRequest(server.url)
            request.maximumResponseBytes = bytes
            let error = try await failure(request)
            #expect(error?.code == (bytes < 10 ? .responseTooLarge : nil))
            #expect(error?.requestMayHaveBeenSent != false)
        }

        @Test("the limit counts decompressed bytes")
        func bomb() async throws {
            let server = RawServer { _ in
                let bytes = gzippedMebibyte
                let head = "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(bytes.count)\n\n"
                return [.text(head), .send(bytes)]
            }
            var request = try TransportRequest(server.url)
            request.maximumResponseBytes = 1 << 16
            #expect(try await failure(request)?.code == .responseTooLarge)
        }

        @Test("a body that inflates beyond the transport's own limit is refused, even if the request allows more")
        func ownLimit() async throws {
            let server = RawServer { _ in
                let bytes = gzippedMebibyte
                let head = "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(bytes.count)\n\n"
                return [.text(head), .send(bytes)]
            }
            let transport = AsyncHTTPClientTransport(maximumDecompressedBytes: 1 << 16)
            let error = try await AuthStateAsyncHTTPClientTests.failure(transport, TransportRequest(server.url))
            #expect(error?.code == .responseTooLarge)
            try await transport.shutdown()
        }

        @Test("a header section without end is refused")
        func longHead() async throws {
            let line = "X-Filler: " + String(repeating: "x", count: 1000) + "\n"
            let server = RawServer { _ in [.text("HTTP/1.1 200 OK\n" + String(repeating: line, count: 1000))] }
            #expect(try await failure(TransportRequest(server.url))?.code == .responseTooLarge)
        }

        @Test(
            "an answer that breaks off or is not HTTP is a lost connection",
            arguments: [
                [.text("HTTP/1.1 200 OK\nContent-Length: 10\n\nabc"), .close],
                [.text("SSH-2.0-OpenSSH_9.2\n"), .close],
                [.text("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nabc"), .close], [.close], [.reset],
                [.text("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 3\n\nabc")],
                [.text("HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 4\n\nabcd")],
            ] as [[RawServer.Action]])
        func broken(actions: [RawServer.Action]) async throws {
            let server = RawServer { _ in actions }
            let error = try #require(try await failure(TransportRequest(server.url, method: .post, body: "x")))
            #expect(error.code == .connectionLost)
            #expect(error.requestMayHaveBeenSent)
            #expect(server.requests.count == 1)
        }

        @Test("a refused connection is known not to have carried the request, and is reported at once")
        func refused() async throws {
            let reserved = try ReservedPort()
            let port = reserved.number
            let start = ContinuousClock.now
            let url = "http://127.0.0.1:\(port)/token?secret"
            let error = try #require(try await failure(TransportRequest(url, method: .post, body: "x")))
            #expect(error.code == .unreachable)
            #expect(!error.requestMayHaveBeenSent)
            #expect(error.message == "Could not connect to 127.0.0.1:\(port): connection refused.")
            // The client by default tries for ten seconds.
            #expect(ContinuousClock.now - start < .seconds(8))
        }

        @Test("a name that does not exist is unreachable")
        func unknownName() async throws {
            let error = try #require(try await failure(TransportRequest("http://op.invalid/")))
            #expect(error.code == .unreachable)
            #expect(!error.requestMayHaveBeenSent)
            #expect(error.message.contains("op.invalid:80"))
        }

        @Test("TLS to a server that speaks none fails before the request is sent")
        func plainServer() async throws {
            let server = RawServer { _ in [.answer()] }
            var request = try TransportRequest("https://127.0.0.1:\(server.port)/", method: "POST", body: "x")
            request.timeout = .milliseconds(500)
            let configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(1)))
            let transport = AsyncHTTPClientTransport(configuration: configuration)
            let start = ContinuousClock.now
            let error = try await AuthStateAsyncHTTPClientTests.failure(transport, request)
            #expect(error?.requestMayHaveBeenSent == false)
            try await transport.shutdown()
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(server.requests.isEmpty)
        }

        @Test("over a kept connection that dies a request is not repeated", arguments: ["POST", "GET"])
        func deadConnection(method: String) async throws {
            let server = RawServer { request in request.head.contains("/dies") ? [.close] : [.answer()] }
            try await withTransport { transport in
                _ = try await transport.send(TransportRequest(server.url + "/first"))
                let error = try await AuthStateAsyncHTTPClientTests.failure(
                    transport, TransportRequest(server.url + "/dies", method: .init(rawValue: method)))
                #expect(error?.code == .connectionLost)
                #expect(error?.requestMayHaveBeenSent == true)
            }
            #expect(server.requests.count { $0.head.contains("/dies") } == 1)
        }

        @Test(
            "an invalid request is refused before a connection is opened",
            arguments: [
                ("file:///etc/passwd", "GET", [:]), ("http://user:secret@127.0.0.1:1/", "GET", [:]),
                ("http://127.0.0.1:1/", "GET", ["X": "1\r\nY: 2"]), ("http://127.0.0.1:1/", "GET", ["X Y": "1"]),
                ("http://127.0.0.1:1/", "GET / HTTP/1.1\r\nX:", [:]), ("http://127.0.0.1:1/", "", [:]),
            ] as [(String, String, TransportHeaders)])
        func invalidRequests(url: String, method: String, headers: TransportHeaders) async throws {
            let error = try #require(
                try await failure(TransportRequest(url, method: .init(rawValue: method), headers: headers)))
            #expect(error.code == .invalidRequest)
            #expect(!error.requestMayHaveBeenSent && !error.message.contains("secret"))
        }

        private func failure(_ request: TransportRequest) async throws -> TransportError? {
            try await withTransport { try await AuthStateAsyncHTTPClientTests.failure($0, request) }
        }
    }
#endif
