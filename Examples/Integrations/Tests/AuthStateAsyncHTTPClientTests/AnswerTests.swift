#if os(Linux)
    import AuthStateAsyncHTTPClient
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5)))
    struct AnswerTests {
        @Test("status, repeated headers and body arrive as they were sent, and no cookie is kept")
        func answer() async throws {
            let server = RawServer { _ in
                [.answer("404 Not Found", "A: 1\nSet-Cookie: a=1\nSet-Cookie: b=2\nEmpty:\n", body: "héllo")]
            }
            try await withTransport { transport in
                let answer = try await transport.send(TransportRequest(server.url))
                #expect(answer.status == 404)
                #expect(answer.headers[values: "set-cookie"] == ["a=1", "b=2"])
                #expect(answer.headers[values: "empty"] == [""])
                #expect(String(decoding: answer.body, as: UTF8.self) == "héllo")
                _ = try await transport.send(TransportRequest(server.url))
            }
            #expect(server.requests.last?.head.lowercased().contains("cookie:") == false)
            #expect(Set(server.requests.map(\.connection)) == [0], "the connection is used again")
        }

        @Test("method, path, headers and body go out byte for byte")
        func request() async throws {
            let server = RawServer { _ in [.answer()] }
            var request = try TransportRequest(
                server.url + "/a/../b?c=%20d%2B", method: "POST",
                headers: ["Authorization": "Basic eDp5", "Content-Type": "text/plain", "Expect": "100-continue"])
            let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            request.body = Data(body)
            let message = request
            try await withTransport { _ = try await $0.send(message) }

            let received = try #require(server.requests.first)
            let lines = received.head.split(separator: "\r\n").map { $0.lowercased() }
            #expect(lines.first == "post /a/../b?c=%20d%2b http/1.1")
            #expect(lines.contains("authorization: basic edp5") && lines.contains("content-length: 200000"))
            #expect(!received.head.contains("100-continue"))
            #expect(received.body == body)
        }

        @Test("a POST without a body says so, a GET does not")
        func emptyBodies() async throws {
            let server = RawServer { _ in [.answer()] }
            try await withTransport { transport in
                _ = try await transport.send(TransportRequest(server.url, method: .post))
                _ = try await transport.send(TransportRequest(server.url))
            }
            #expect(server.requests.map { $0.head.lowercased().contains("content-length: 0") } == [true, false])
        }

        @Test("a redirect is returned, never followed", arguments: ["302 Found", "307 Temporary Redirect"])
        func redirects(status: String) async throws {
            let server = RawServer { _ in [.answer(status, "Location: /elsewhere\n")] }
            try await withTransport { transport in
                let answer = try await transport.send(TransportRequest(server.url, method: .post, body: "secret"))
                #expect("\(answer.status)" == status.prefix(3))
                #expect(answer.headers["Location"] == "/elsewhere")
            }
            #expect(server.requests.count == 1)
        }

        @Test("a compressed body is decompressed, a chunked one put together, the one of HEAD left out")
        func bodies() async throws {
            let server = RawServer { request in
                if request.head.hasPrefix("HEAD") { return [.text("HTTP/1.1 200 OK\nContent-Length: 1000\n\n")] }
                if request.head.contains("/chunked") {
                    return [.text("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\n2\nde\n0\n\n")]
                }
                let bytes = gzippedMebibyte
                let head = "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(bytes.count)\n\n"
                return [.text(head), .send(bytes)]
            }
            try await withTransport { transport in
                #expect(try await transport.send(TransportRequest(server.url)).body == Data(count: 1 << 20))
                let chunked = try await transport.send(TransportRequest(server.url + "/chunked"))
                #expect(chunked.body == Data("abcde".utf8))
                let head = try await transport.send(TransportRequest(server.url, method: .head))
                #expect(head.body.isEmpty && head.headers["Content-Length"] == "1000")
            }
        }
    }

    /// Runs a body with a transport, and shuts it down after that.
    func withTransport<R: Sendable>(_ body: @Sendable (AsyncHTTPClientTransport) async throws -> R) async throws -> R {
        let transport = AsyncHTTPClientTransport()
        do {
            let result = try await body(transport)
            try await transport.shutdown()
            return result
        } catch {
            try await transport.shutdown()
            throw error
        }
    }
#endif
