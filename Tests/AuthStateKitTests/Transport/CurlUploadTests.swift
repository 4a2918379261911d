#if os(Linux)
    import AuthStateJOSE
    import AuthStateKit
    import AuthStateTransport
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(3))) struct CurlUploadTests {
        let transport = CurlTransport(configuration: .init(maximumConnectionsPerHost: 1))

        /// A body whose pieces a test gives.
        private final class Source: Sendable {
            let pieces: AsyncThrowingStream<Data, any Error>
            let sink: AsyncThrowingStream<Data, any Error>.Continuation
            /// Whether its reader was cancelled.
            let isCancelled = Lock(false)

            init(_ texts: String...) {
                (pieces, sink) = AsyncThrowingStream.makeStream()
                for text in texts { sink.yield(Data(text.utf8)) }
                sink.onTermination = { [weak self] end in
                    if case .cancelled = end { self?.isCancelled.withLock { $0 = true } }
                }
            }

            func body(count: Int? = nil) -> StreamedBody {
                StreamedBody(count: count) { [pieces] in
                    var iterator = pieces.makeAsyncIterator()
                    return try await iterator.next()
                }
            }
        }

        private func send(
            _ body: StreamedBody, to url: String, method: TransportRequest.Method = .put, limit: Duration = .seconds(20)
        ) async throws -> TransportResponse {
            var request = try TransportRequest(url, method: method, body: "not this one")
            request.timeout = limit
            return try await transport.stream(request, sending: body).collected(upTo: 1 << 20)
        }

        private func failure(_ body: () async throws -> TransportResponse) async throws -> TransportError? {
            do {
                _ = try await body()
                return nil
            } catch let error as TransportError {
                return error
            }
        }

        @Test func `interim answers are told before the answer, to a stream's task alone`() async throws {
            let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            let server = RawServer { _ in [.send(Array((early + early).utf8)), .answer(body: "done")] }
            let told = Lock<[String]>([])
            let request = try TransportRequest(server.url)
            let tell: @Sendable (TransportResponse) -> Void = { answer in
                told.withLock { $0.append("\(answer.status) \(answer.headers["Link"] ?? "")") }
            }
            let body = try await StreamedResponse.$onInterim.withValue(tell) {
                _ = try await transport.send(request)
                return try await transport.stream(request).collected(upTo: 100).body
            }
            #expect(String(decoding: body, as: UTF8.self) == "done")
            #expect(told.withLock { $0 } == ["103 </a>", "103 </a>"])
        }

        @Test func `a body of a known length is sent as it comes, and as it is`() async throws {
            let server = RawServer { [.answer(body: String(decoding: $0.body.suffix(4), as: UTF8.self))] }
            let pieces = (0..<40).map { Data(repeating: UInt8($0), count: 100_000) }
            let source = Source()
            for piece in pieces + [Data(), Data("last".utf8)] { source.sink.yield(piece) }
            source.sink.finish()
            let answer = try await send(source.body(count: 4_000_004), to: server.url, method: .post)
            #expect(answer.body == Data("last".utf8))
            let seen = try #require(server.requests.first)
            #expect(Data(seen.body.dropLast(4)) == pieces.reduce(Data(), +))
            #expect(seen.head.hasPrefix("POST ") && seen.head.contains("\r\nContent-Length: 4000004"))
            #expect(!seen.head.contains("Expect") && !seen.head.contains("Transfer-Encoding"))
        }

        @Test func `a body of unknown length goes in chunks, each when it is read`() async throws {
            let server = RawServer { $0.head.hasSuffix("\r\n0") ? [.answer(body: "whole")] : [] }
            let source = Source("hello")
            let answer = Task { try await send(source.body(), to: server.url) }
            try await eventually { server.requests.count == 1 }
            #expect(server.requests[0].head.contains("\r\nTransfer-Encoding: chunked"))
            source.sink.yield(Data("again".utf8))
            source.sink.finish()
            #expect(try await answer.value.body == Data("whole".utf8))
            #expect(server.requests[1].head == "5\r\nhello\r\n5\r\nagain\r\n0")
        }

        @Test func `an empty body is one`() async throws {
            let server = RawServer { _ in [.answer(body: "ok")] }
            let source = Source()
            source.sink.finish()
            #expect(try await send(source.body(count: 0), to: server.url).status == 200)
            #expect(server.requests[0].head.contains("\r\nContent-Length: 0"))
        }

        @Test func `the error of a body ends the exchange, and is the result`() async throws {
            struct Broken: Error {}
            let server = RawServer { _ in [] }
            let source = Source("part")
            let answer = Task { try await send(source.body(count: 100), to: server.url) }
            try await eventually { server.openConnections == 1 }
            source.sink.finish(throwing: Broken())
            await #expect(throws: Broken.self) { _ = try await answer.value }
            try await eventually { server.openConnections == 0 }
            #expect(server.requests.isEmpty)
        }

        @Test(arguments: [("abc", 4), ("abcde", 4)])
        func `a body of another length than announced is an error`(text: String, count: Int) async throws {
            let server = RawServer { _ in [.answer()] }
            let source = Source(text)
            source.sink.finish()
            let error = try await failure { try await send(source.body(count: count), to: server.url) }
            #expect((error?.code, error?.requestMayHaveBeenSent) == (.invalidRequest, true))
        }

        @Test(arguments: [413, 200])
        func `an answer before the end of the body is the answer, and the body is read no further`(
            status: Int
        ) async throws {
            let server = RawServer { _ in [.answer("\(status) Early", "Connection: close\n", body: "no")] }
            let source = Source("hello")
            let answer = try await send(source.body(), to: server.url)
            #expect((answer.status, answer.body) == (status, Data("no".utf8)))
            try await eventually { source.isCancelled.withLock { $0 } }
        }

        @Test(arguments: [
            (413, "Connection: close\nContent-Length: 4\n\nno"), (413, "Connection: close\n\nno"),
            (413, "Content-Length: 4\n\nno"), (200, "Connection: close\nContent-Length: 4\n\nno"),
            (200, "Connection: close\n\nno"),
        ])
        func `the end of such an answer may come later`(status: Int, head: String) async throws {
            let server = RawServer { _ in [.text("HTTP/1.1 \(status) Early\n\(head)")] }
            let source = Source("hello")
            let request = try TransportRequest(server.url, method: .put)
            let answer = try await transport.stream(request, sending: source.body())
            #expect(answer.status == status)
            var body = answer.makeAsyncIterator()
            #expect(try await body.next() == Data("no".utf8))
            server.perform(.text("ne"), .close)
            #expect(try await body.next() == Data("ne".utf8))
            #expect(try await body.next() == nil)
        }

        @Test func `a source that throws when it is cancelled takes nothing from such an answer`() async throws {
            let server = RawServer { _ in [.text("HTTP/1.1 413 Content Too Large\nContent-Length: 4\n\nno")] }
            let hasThrown = Lock(false)
            let source = StreamedBody {
                do {
                    try await Task.sleep(for: .seconds(60))
                    return Data("late".utf8)
                } catch {
                    hasThrown.withLock { $0 = true }
                    throw error
                }
            }
            let request = try TransportRequest(server.url, method: .put)
            let answer = try await transport.stream(request, sending: source)
            try await eventually { hasThrown.withLock { $0 } }
            server.perform(.text("ne"))
            #expect(try await answer.collected(upTo: 100).body == Data("none".utf8))
        }

        @Test func `dropping the answer ends the reading`() async throws {
            let server = RawServer { _ in [CurlStreamTests.head] }
            let source = Source("hello")
            let request = try TransportRequest(server.url, method: .post)
            _ = try await transport.stream(request, sending: source.body())
            try await eventually { source.isCancelled.withLock { $0 } && server.openConnections == 0 }
        }

        @Test func `the time is the server's: a slow body takes none of it`() async throws {
            let server = RawServer { $0.head.hasSuffix("\r\n0") ? [.answer(body: "late")] : [] }
            let source = Source("hello")
            let answer = Task { try await send(source.body(), to: server.url + "/slow", limit: .milliseconds(100)) }
            // Waits in real time, longer than the first one may.
            let quiet = RawServer { _ in [] }
            let other = Source("hello")
            other.sink.finish()
            let error = try await failure {
                try await send(other.body(), to: quiet.url, limit: .milliseconds(300))
            }
            #expect((error?.code, error?.requestMayHaveBeenSent) == (.timedOut, true))
            source.sink.finish()
            #expect(try await answer.value.body == Data("late".utf8))
        }

        @Test func `a request over a kept connection that is dead is not repeated`() async throws {
            let server = RawServer { $0.connection == 0 && $0.head.contains("/second") ? [.close] : [.answer()] }
            #expect(try await transport.send(TransportRequest(server.url)).status == 200)
            let source = Source("hello")
            source.sink.finish()
            let error = try await failure { try await send(source.body(count: 5), to: server.url + "/second") }
            #expect((error?.code, error?.requestMayHaveBeenSent) == (.connectionLost, true))
            #expect(server.requests.count == 2)
        }

        @Test func `a request that has no body is refused with one`() async throws {
            let source = Source()
            let error = try await failure { try await send(source.body(), to: "http://127.0.0.1:1", method: .head) }
            #expect(error?.code == .invalidRequest)
        }

        @Test func `another transport gets the whole body, of at most 16 MiB`() async throws {
            struct Wire: HTTPTransport {
                func send(_ request: TransportRequest) async throws -> TransportResponse {
                    TransportResponse(status: 200, body: Data("\(request.body?.count ?? -1)".utf8))
                }
            }
            let request = try TransportRequest("https://api.example", method: .put)
            for (count, isSent) in [(16, true), (17, false)] {
                let source = Source()
                for _ in 0..<count { source.sink.yield(Data(count: 1 << 20)) }
                source.sink.finish()
                let error = try await failure {
                    let answer = try await Wire().stream(request, sending: source.body()).collected(upTo: 100)
                    #expect(answer.body == Data("\(16 << 20)".utf8))
                    return answer
                }
                #expect((error == nil) == isSent && error?.requestMayHaveBeenSent != true)
            }
        }
    }
#endif
