#if os(Linux)
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(3))) struct CurlStreamTests {
        static let head = RawServer.Action.text("HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n")
        let transport = CurlTransport(configuration: .init(maximumConnectionsPerHost: 1))

        @Test func `the head comes before the body, and each piece when it is sent`() async throws {
            let server = RawServer { _ in [.text("HTTP/1.1 103 Early Hints\n\n"), Self.head] }
            let answer = try await transport.stream(TransportRequest(server.url))
            #expect((answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream"))
            var body = answer.makeAsyncIterator()
            for piece in ["data: 1\n\n", "data: 2\n\n"] {
                server.perform(.send(Array(piece.utf8)))
                #expect(try await body.next() == Data(piece.utf8))
            }
            server.perform(.close)
            #expect(try await body.next() == nil)
            #expect(try await body.next() == nil)
        }

        @Test func `the fields behind the body are known at its end`() async throws {
            let server = RawServer { _ in [.text("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\n")] }
            let answer = try await transport.stream(TransportRequest(server.url))
            var body = answer.makeAsyncIterator()
            #expect(try await body.next() == Data("abc".utf8) && answer.trailers == [:])
            server.perform(.text("0\nServer-Timing: a\nX-Sum: 7\n\n"))
            #expect(try await body.next() == nil)
            #expect(answer.trailers == ["Server-Timing": "a", "X-Sum": "7"])
        }

        @Test func `a stream notices a server that is gone, also over a connection that another exchange has opened`()
            async throws
        {
            let server = RawServer { $0.head.contains("/short") ? [.answer(body: "short")] : [Self.head] }
            #expect(try await transport.send(TransportRequest(server.url + "/short")).status == 200)
            let answer = try await transport.stream(TransportRequest(server.url))
            #expect(server.requests.map(\.connection) == [0, 0])
            let sockets = (3..<4096).filter { Self.isConnected($0, to: server.port) }
            #expect(sockets.count == 1)
            #expect(sockets.map { Self.option(SO_KEEPALIVE, SOL_SOCKET, of: $0) } == [1])
            // An HTTP/2 connection that is lost would be used again after each time limit. In milliseconds.
            #expect(sockets.map { Self.option(TCP_USER_TIMEOUT, Int32(IPPROTO_TCP), of: $0) } == [120_000])
            withExtendedLifetime(answer) {}
        }

        /// Whether a descriptor is a socket that is connected to a port of this machine.
        private static func isConnected(_ descriptor: Int32, to port: UInt16) -> Bool {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            return withUnsafeMutableBytes(of: &address) { bytes in
                let pointer = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: sockaddr.self)
                return getpeername(descriptor, pointer, &length) == 0
                    && bytes.load(fromByteOffset: 2, as: UInt16.self) == port.bigEndian
            }
        }

        private static func option(_ name: Int32, _ level: Int32, of descriptor: Int32) -> Int32 {
            var (value, length) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(descriptor, level, name, &value, &length)
            return value
        }

        @Test func `a stream has no end of time, its head has`() async throws {
            let server = RawServer {
                $0.head.contains("/silent") ? [] : [$0.head.contains("/short") ? .answer(body: "short") : Self.head]
            }
            var request = try TransportRequest(server.url)
            // Both wait in real time: the second ends long after the first one's time was over.
            request.timeout = .milliseconds(100)
            let answer = try await transport.stream(request)
            let silent = try await transport.failing(server.url + "/silent", timeout: .milliseconds(300))
            #expect((silent?.code, silent?.requestMayHaveBeenSent) == (.timedOut, true))
            #expect(silent?.message.hasSuffix("did not begin to answer within 300 ms.") == true)
            // It has given its place back.
            #expect(try await transport.send(TransportRequest(server.url + "/short")).status == 200)
            server.perform(.send(Array("late".utf8)), .close)
            #expect(try await answer.collected(upTo: 100).body == Data("late".utf8))
        }

        @Test func `a connection that breaks ends the stream with an error, after what has come`() async throws {
            let server = RawServer { _ in
                [.text("HTTP/1.1 200 OK\nContent-Length: 10\n\n"), .send(Array("part".utf8)), .close]
            }
            var body = try await transport.stream(TransportRequest(server.url)).makeAsyncIterator()
            #expect(try await body.next() == Data("part".utf8))
            await #expect { _ = try await body.next() } throws: { ($0 as? TransportError)?.code == .connectionLost }
        }

        @Test func `streams leave the places to others, however many there are`() async throws {
            let server = RawServer { $0.head.contains("/stream") ? [Self.head] : [.answer(body: "short")] }
            var streams: [StreamedResponse] = []
            for _ in 0..<20 { streams.append(try await transport.stream(TransportRequest(server.url + "/stream"))) }
            #expect(try await transport.send(TransportRequest(server.url)).body == Data("short".utf8))
            #expect(server.openConnections >= 21)
            streams = []
            try await eventually { server.openConnections == 1 }
            #expect(try await transport.send(TransportRequest(server.url)).status == 200)
        }

        @Test func `a reader that is behind pauses the server, and reads all when it comes`() async throws {
            let server = RawServer { _ in [Self.head, .flood] }
            let answer = try await transport.stream(TransportRequest(server.url))
            // The buffers of both systems hold some megabytes, then nothing goes on.
            try await eventually { server.flooded.stalls > 20 }
            let before = server.flooded.bytes
            #expect(before < 32 << 20)
            var count = 0
            for try await piece in answer {
                #expect(piece.allSatisfy { $0 == 0x78 })
                count += piece.count
                if count > before + 8 << 20 { break }
            }
        }

        @Test func `cancelling the reader frees it at once, and then the connection`() async throws {
            let server = RawServer { _ in [Self.head] }
            let answer = try await transport.stream(TransportRequest(server.url))
            let reader = Task {
                var body = answer.makeAsyncIterator()
                return try await body.next()
            }
            reader.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reader.value }
            try await eventually { server.openConnections == 0 }
        }

        @Test func `a task that is cancelled before the head is free at once`() async throws {
            let server = RawServer { _ in [] }
            let request = try TransportRequest(server.url)
            let task = Task { [transport] in try await transport.stream(request) }
            try await eventually { server.requests.count == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            try await eventually { server.openConnections == 0 }
        }

        @Test func `a head with two lengths is refused`() async throws {
            let server = RawServer { _ in
                [.text("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\nab")]
            }
            let error = try await transport.failing(server.url)
            #expect(error?.message.hasSuffix("has two lengths.") == true)
        }

        @Test func `what is compressed is decompressed piece by piece`() async throws {
            let server = RawServer { _ in
                [
                    .text("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(gzippedMebibyte.count)\n\n"),
                    .send(gzippedMebibyte),
                ]
            }
            let answer = try await transport.stream(TransportRequest(server.url)).collected(upTo: 2 << 20)
            #expect(answer.body == Data(count: 1 << 20))
            let second = try await transport.stream(TransportRequest(server.url))
            await #expect { _ = try await second.collected(upTo: 1 << 19) } throws: {
                ($0 as? TransportError)?.code == .responseTooLarge
            }
        }
    }

    extension CurlTransport {
        /// The error that a stream ends with before its head; nil when a head came.
        fileprivate func failing(_ url: String, timeout: Duration = .seconds(20)) async throws -> TransportError? {
            var request = try TransportRequest(url)
            request.timeout = timeout
            do {
                _ = try await stream(request)
                return nil
            } catch let error as TransportError {
                return error
            }
        }
    }
#endif
