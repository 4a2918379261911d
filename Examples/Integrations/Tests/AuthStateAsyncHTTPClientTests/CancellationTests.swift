#if os(Linux)
    import AuthStateAsyncHTTPClient
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5)))
    struct CancellationTests {
        @Test("cancelling frees the caller at once, and then the connection")
        func cancel() async throws {
            let server = RawServer { _ in [] }
            try await withTransport { transport in
                let request = try TransportRequest(server.url)
                let task = Task { try await transport.send(request) }
                try await eventually { server.requests.count == 1 }
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
                try await eventually { server.openConnections == 0 }
            }
        }

        @Test("a task that is cancelled already sends nothing")
        func cancelledBefore() async throws {
            let server = RawServer { _ in [.answer()] }
            try await withTransport { transport in
                let request = try TransportRequest(server.url)
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await transport.send(request)
                }
                await #expect(throws: CancellationError.self) { _ = try await task.value }
                _ = try await transport.send(TransportRequest(server.url + "/second"))
            }
            #expect(server.requests.map { $0.head.contains("/second") } == [true])
        }

        @Test("after two thousand cancellations at any moment every caller is free")
        func storm() async throws {
            let server = RawServer { request in request.head.contains("/hang") ? [] : [.answer(body: "x")] }
            let requests = try ["/", "/hang"].map { try TransportRequest(server.url + $0) }
            try await withTransport { transport in
                var outcomes: [String: Int] = [:]
                for _ in 0..<20 {
                    try await withThrowingTaskGroup(of: String.self) { group in
                        for number in 0..<100 {
                            group.addTask {
                                let task = Task { try await transport.send(requests[number % 2]) }
                                for _ in 0..<Int.random(in: 0..<100) { await Task.yield() }
                                task.cancel()
                                switch await task.result {
                                case .success: return "answered"
                                case .failure(is CancellationError): return "cancelled"
                                case .failure(let error): return "\(error)"
                                }
                            }
                        }
                        for try await outcome in group { outcomes[outcome, default: 0] += 1 }
                    }
                }
                #expect(Set(outcomes.keys).isSubset(of: ["answered", "cancelled"]), "\(outcomes)")
                #expect(outcomes["cancelled", default: 0] >= 1_000)
                #expect(try await transport.send(requests[0]).status == 200)
            }
            try await eventually { server.openConnections == 0 }
        }

        @Test("transports that are released close their connections")
        func release() async throws {
            let server = RawServer { _ in [.answer()] }
            let request = try TransportRequest(server.url)
            for _ in 0..<50 { #expect(try await AsyncHTTPClientTransport().send(request).status == 200) }
            try await eventually { server.openConnections == 0 }
        }

        @Test("after the shutdown nothing is sent any more")
        func shutdown() async throws {
            let server = RawServer { _ in [.answer()] }
            let transport = AsyncHTTPClientTransport()
            _ = try await transport.send(TransportRequest(server.url))
            try await transport.shutdown()
            let error = try #require(try await failure(transport, TransportRequest(server.url)))
            #expect(error.code == .unreachable && !error.requestMayHaveBeenSent)
            #expect(server.requests.count == 1)
            try await eventually { server.openConnections == 0 }
        }
    }
#endif
