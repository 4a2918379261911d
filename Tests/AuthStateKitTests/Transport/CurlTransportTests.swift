#if os(Linux)
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
        let transport = CurlTransport()

        @Test func `status, repeated headers and body arrive as they were sent`() async throws {
            let server = RawServer { _ in
                [.answer("404 Not Found", "A: 1\nSet-Cookie: a=1\nSet-Cookie: b=2\nEmpty:\n", body: "héllo")]
            }
            let answer = try await transport.send(TransportRequest(server.url))
            #expect(answer.status == 404)
            #expect(answer.headers[values: "set-cookie"] == ["a=1", "b=2"])
            #expect(answer.headers[values: "empty"] == [""])
            #expect(String(decoding: answer.body, as: UTF8.self) == "héllo")

            _ = try await transport.send(TransportRequest(server.url))
            #expect(server.requests.last?.head.lowercased().contains("cookie:") == false)
        }

        @Test("method, path, headers and body go out byte for byte")
        func request() async throws {
            let server = RawServer { _ in [.answer()] }
            var request = try TransportRequest(
                server.url + "/a/../b?c=%20d", method: "POST",
                headers: ["Authorization": "Basic eDp5", "X-Empty": "", "Content-Type": "text/plain"])
            let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            request.body = Data(body)
            _ = try await transport.send(request)

            let received = try #require(server.requests.first)
            let lines = received.head.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "POST /a/../b?c=%20d HTTP/1.1")
            for line in [
                "Authorization: Basic eDp5", "X-Empty:", "Content-Type: text/plain", "Content-Length: 200000",
                "User-Agent: AuthStateKit",
            ] { #expect(lines.contains(line)) }
            #expect(!received.head.contains("Expect"))
            #expect(received.body == body)
        }

        @Test(
            "any method may have a body, and a POST without one says so",
            arguments: [
                ("POST", nil, "0"), ("POST", "", "0"), ("PUT", nil, "0"), ("DELETE", nil, nil), ("DELETE", "x", "1"),
                ("GET", nil, nil), ("GET", "xy", "2"), ("PROPFIND", "x", "1"),
            ] as [(String, String?, String?)])
        func methods(method: String, body: String?, length: String?) async throws {
            let server = RawServer { _ in [.answer()] }
            let answer = try await transport.send(
                TransportRequest(server.url, method: .init(rawValue: method), body: body))
            #expect(answer.status == 200)
            let received = try #require(server.requests.first)
            #expect(received.head.hasPrefix("\(method) / HTTP/1.1\r\n"))
            #expect(received.head.contains("Content-Length: \(length ?? "")") == (length != nil))
            #expect(!received.head.contains("Content-Type"))
            #expect(received.body == Array((body ?? "").utf8))
        }

        @Test func `the answer to HEAD has no body, also with a Content-Length`() async throws {
            let server = RawServer { _ in [.text("HTTP/1.1 200 OK\nContent-Length: 1000\n\n")] }
            let answer = try await transport.send(TransportRequest(server.url, method: .head))
            #expect(answer.headers["Content-Length"] == "1000")
            #expect(answer.body.isEmpty)
        }

        @Test("a redirect is returned, never followed", arguments: ["302 Found", "307 Temporary Redirect"])
        func redirects(status: String) async throws {
            let server = RawServer { _ in [.answer(status, "Location: /elsewhere\n")] }
            let answer = try await transport.send(TransportRequest(server.url, method: .post, body: "secret"))
            #expect("\(answer.status)" == status.prefix(3))
            #expect(answer.headers["Location"] == "/elsewhere")
            #expect(server.requests.count == 1)
        }

        @Test func `a 401 with a Basic challenge is returned with its body`() async throws {
            let server = RawServer { _ in
                [.answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\n", body: "{}")]
            }
            let answer = try await transport.send(TransportRequest(server.url))
            #expect(answer.status == 401)
            #expect(answer.headers[values: "WWW-Authenticate"] == ["Basic realm=\"x\""])
            #expect(answer.body == Data("{}".utf8))
        }

        @Test func `interim answers and trailers are left out, a chunked body is put together`() async throws {
            let server = RawServer { _ in
                [
                    .text("HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"),
                    .text("3\nabc\n2\nde\n0\nTrailer: x\n\n"),
                ]
            }
            let answer = try await transport.send(TransportRequest(server.url))
            #expect(answer.status == 200)
            #expect(answer.headers["Link"] == nil && answer.headers["Trailer"] == nil)
            #expect(answer.body == Data("abcde".utf8))
        }

        @Test func `a compressed body is decompressed`() async throws {
            let server = RawServer { _ in
                let bytes = gzippedMebibyte
                let head = "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(bytes.count)\n\n"
                return [.text(head), .send(bytes)]
            }
            #expect(try await transport.send(TransportRequest(server.url)).body == Data(count: 1 << 20))
            #expect(server.requests.first?.head.contains("Accept-Encoding:") == true)
        }

        @Test func `a connection is used again, and one at a time is enough for requests in turn`() async throws {
            let server = RawServer { _ in [.answer(body: "x")] }
            for _ in 0..<10 { _ = try await transport.send(TransportRequest(server.url)) }
            #expect(server.requests.map(\.connection) == Array(repeating: 0, count: 10))
        }

        @Test func `no more than the allowed connections to one host, and all requests are answered`() async throws {
            let server = RawServer { _ in [.answer(body: "x")] }
            let transport = CurlTransport(configuration: .init(maximumConnectionsPerHost: 2))
            let request = try TransportRequest(server.url)
            let statuses = try await together(100) { _ in try await transport.send(request).status }
            #expect(statuses == Array(repeating: 200, count: 100))
            #expect(Set(server.requests.map(\.connection)).isSubset(of: [0, 1]))
        }

        @Test func `the time that a request waits for a connection is part of its time`() async throws {
            let server = RawServer { _ in [] }
            let transport = CurlTransport(configuration: .init(maximumConnectionsPerHost: 1))
            let request = try TransportRequest(server.url)
            let first = Task { try await transport.send(request) }
            try await eventually { server.requests.count == 1 }
            let second = TransportRequest(url: request.url, timeout: .milliseconds(100))
            let start = ContinuousClock.now
            let error = await #expect(throws: TransportError.self) { try await transport.send(second) }
            #expect(error?.code == .unreachable)
            #expect(ContinuousClock.now - start < request.timeout / 2)
            #expect(server.requests.count == 1)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
        }

        @Test func `the platform's own transport is libcurl's, one for the process`() async throws {
            let server = RawServer { _ in [.answer(body: "x")] }
            #expect(try await SystemTransport.shared.send(TransportRequest(server.url)).body == Data("x".utf8))
        }
    }
#endif
