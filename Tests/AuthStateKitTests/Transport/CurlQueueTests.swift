#if os(Linux)
    import AuthStateOAuth
    import Foundation
    import Testing

    @testable import AuthStateTransport

    struct CurlQueueTests {
        private func exchange() throws -> TransportExchange {
            TransportExchange(try WireRequest(TransportRequest("https://op.example/")))
        }

        @Test func `as many start as a host has connections, and the others wait for their turn`() throws {
            var queue = CurlQueue(connections: 2)
            let exchanges = try (0..<5).map { _ in try exchange() }
            #expect(exchanges.map { queue.start($0, with: "a:443") } == [true, true, false, false, false])
            #expect(queue.start(try exchange(), with: "b:443"), "another host has connections of its own")
            #expect(queue.next(for: "a:443")?.exchange == nil, "none has ended")
            for expected in exchanges[2...] {
                queue.end(with: "a:443")
                #expect(queue.next(for: "a:443")?.exchange === expected)
                #expect(queue.next(for: "a:443") == nil)
            }
            queue.end(with: "a:443")
            #expect(queue.next(for: "a:443") == nil)
            #expect(queue.start(try exchange(), with: "a:443"), "one is in progress")
        }

        @Test("an exchange whose caller was cancelled is left out")
        func cancelled() throws {
            var queue = CurlQueue(connections: 1)
            let exchanges = try (0..<3).map { _ in try exchange() }
            for exchange in exchanges { _ = queue.start(exchange, with: "a:443") }
            exchanges[1].finish(.failure(CancellationError()))
            queue.end(with: "a:443")
            #expect(queue.next(for: "a:443")?.exchange === exchanges[2])
            #expect(queue.waiting.isEmpty)
        }

        @Test("exchanges that have waited all their time are removed, and the time of the next such end is known")
        func expiry() throws {
            var queue = CurlQueue(connections: 1)
            let exchanges = try [60, 20, 40].map { seconds in
                var request = TransportRequest(url: try #require(URL(string: "https://op.example/")))
                request.timeout = .seconds(seconds)
                return TransportExchange(try WireRequest(request))
            }
            for exchange in exchanges { _ = queue.start(exchange, with: "a:443") }
            let now = ContinuousClock.now
            #expect(queue.removeExpired(at: now).isEmpty)
            #expect(try #require(queue.firstEnd) <= now + .seconds(20))
            #expect(
                queue.removeExpired(at: now + .seconds(21)).map(ObjectIdentifier.init) == [
                    ObjectIdentifier(exchanges[1])
                ])
            #expect(try #require(queue.firstEnd) > now + .seconds(21))
            queue.end(with: "a:443")
            #expect(queue.next(for: "a:443")?.exchange === exchanges[2])
            #expect(queue.removeExpired(at: now + .seconds(41)).isEmpty, "it has had its turn")
            #expect(queue.firstEnd == nil)
        }

        @Test func `a host that answers by HTTP/2 takes more at once`() throws {
            var queue = CurlQueue(connections: 1)
            let exchanges = try (0..<150).map { _ in try exchange() }
            for exchange in exchanges { _ = queue.start(exchange, with: "a:443") }
            queue.noteMultiplexing("a:443")
            queue.end(with: "a:443")
            var count = 0
            while queue.next(for: "a:443") != nil { count += 1 }
            #expect(count == 100)
            #expect(queue.waiting.count == 49)
        }
    }
#endif
