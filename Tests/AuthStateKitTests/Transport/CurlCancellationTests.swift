#if os(Linux)
    import AuthStateKit
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(3))) struct CurlCancellationTests {
        @Test("cancelling frees the caller at once, and then the connection")
        func cancel() async throws {
            let server = RawServer { _ in [] }
            let transport = CurlTransport()
            let request = try TransportRequest(server.url)
            let task = Task { try await transport.send(request) }
            try await eventually { server.requests.count == 1 }
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(ContinuousClock.now - start < .seconds(60))
            try await eventually { server.openConnections == 0 }
        }

        @Test func `a task that is cancelled already sends nothing`() async throws {
            let server = RawServer { _ in [.answer()] }
            let transport = CurlTransport()
            let request = try TransportRequest(server.url)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(request)
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            _ = try await transport.send(TransportRequest(server.url + "/second"))
            #expect(server.requests.map { $0.head.contains("/second") } == [true])
        }

        @Test("after thousands of cancellations at any moment every caller is free and no descriptor is lost")
        func storm() async throws {
            let isLong = ProcessInfo.processInfo.environment["AUTHSTATE_LONG"] != nil
            let server = RawServer { request in request.head.contains("/hang") ? [] : [.answer(body: "x")] }
            // Beside a thousand other tests a hundred yields may take a minute; only the cancellation is to end a request.
            let transport = CurlTransport(configuration: .init(connectTimeout: .seconds(600)))
            let requests = try ["/", "/hang"].map {
                var request = try TransportRequest(server.url + $0)
                request.timeout = .seconds(600)
                return request
            }
            _ = try await transport.send(requests[0])
            let before = try openDescriptors()
            var outcomes: [String: Int] = [:]
            for _ in 0..<(isLong ? 200 : 20) {
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
            #expect(Set(outcomes.keys).isSubset(of: ["answered", "cancelled"]))
            #expect(outcomes.values.reduce(0, +) == (isLong ? 20_000 : 2_000))
            #expect(outcomes["cancelled", default: 0] >= (isLong ? 10_000 : 1_000))
            #expect(try await transport.send(requests[0]).status == 200)
            // Other tests open descriptors too; a leak would be one for each cancellation.
            try await eventually { try openDescriptors() < before + 200 }
        }

        @Test func `a child process does not inherit connections`() async throws {
            let server = RawServer { _ in [.text("HTTP/1.1 200 OK\nContent-Length: 0\n\n")] }
            var transport: CurlTransport? = CurlTransport()
            _ = try await transport?.send(TransportRequest(server.url))
            let child = try Program("/bin/sleep", ["60"])
            #expect(server.openConnections == 1)
            transport = nil
            try await eventually { server.openConnections == 0 }
            child.terminate()
        }

        @Test func `a transport that is released ends its thread and closes everything`() async throws {
            let server = RawServer { _ in [.answer()] }
            let request = try TransportRequest(server.url)
            let before = try openDescriptors()
            for _ in 0..<300 { #expect(try await CurlTransport().send(request).status == 200) }
            try await eventually { server.openConnections == 0 }
            try await eventually { try openDescriptors() < before + 200 }
        }
    }
#endif
