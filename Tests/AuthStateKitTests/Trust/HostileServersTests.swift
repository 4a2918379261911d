#if os(Linux)
    import AuthStateKit
    import Testing

    /// The same endpoints at servers that misbehave below HTTP's surface: the transport, its limits and its deadline.
    @Suite(.timeLimit(.minutes(5))) struct HostileServersTests {
        /// A server's treatment of each request, and the error that follows at every endpoint.
        struct Behaviour: Sendable {
            let name: String
            let code: AuthStateError.Code
            let actions: [RawServer.Action]

            init(_ name: String, _ code: AuthStateError.Code, _ actions: RawServer.Action...) {
                (self.name, self.code, self.actions) = (name, code, actions)
            }
        }

        static let behaviours: [Behaviour] = [
            Behaviour("says nothing", .timedOut),
            Behaviour(
                "sends a byte at a time", .timedOut, .text("HTTP/1.1 200 OK\nContent-Length: 100000\n\n"), .drip),
            Behaviour("sends its header a byte at a time", .timedOut, .text("HTTP/1.1 200 OK\nX: "), .drip),
            Behaviour(
                "sends chunks without end", .responseTooLarge,
                .text("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"),
                .text(String(repeating: "400\n" + String(repeating: " ", count: 1024) + "\n", count: 100))),
            Behaviour(
                "announces too much", .responseTooLarge,
                .text("HTTP/1.1 200 OK\nContent-Length: 99999999999\n\n" + String(repeating: " ", count: 70_000))),
            Behaviour(
                "sends a compressed bomb", .responseTooLarge,
                .text("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(gzippedMebibyte.count)\n\n"),
                .send(gzippedMebibyte)),
            Behaviour(
                "sends interim answers without end", .responseTooLarge,
                .text(String(repeating: "HTTP/1.1 103 Early Hints\nLink: </a>\n\n", count: 5000))),
            Behaviour(
                "floods the header", .responseTooLarge,
                .text(
                    "HTTP/1.1 200 OK\n"
                        + String(repeating: "X-Filler: \(String(repeating: "x", count: 99))\n", count: 2000))),
            Behaviour("hangs up", .connectionLost, .close),
            Behaviour("resets", .connectionLost, .reset),
            Behaviour(
                "hangs up in the middle", .connectionLost,
                .text("HTTP/1.1 200 OK\nContent-Length: 100\n\n{\"sub\":\"ada\""), .close),
            Behaviour(
                "frames its answer twice", .connectionLost,
                .text("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 7\n\n{\"a\":1}"), .close),
        ]

        private var limits: AuthorizationService.Configuration {
            var limits = AuthorizationService.Configuration()
            limits.requestTimeout = .milliseconds(400)
            limits.maximumResponseBytes = 1 << 16
            return limits
        }

        private let transport = CurlTransport()

        private func error(_ endpoint: HostileEndpoint, at server: RawServer) async -> AuthStateError? {
            do {
                try await endpoint.ask(transport, at: server.url, limits: limits)
                return nil
            } catch {
                #expect(error is AuthStateError && !"\(error)".contains("SECRET"))
                return error as? AuthStateError
            }
        }

        // One server at a time for each endpoint: they are threads that would take the other tests' time.
        @Test(
            "a server that misbehaves costs one request, the deadline at most, and no state",
            arguments: HostileEndpoint.allCases)
        func misbehaves(_ endpoint: HostileEndpoint) async {
            for behaviour in Self.behaviours {
                let server = RawServer { _ in behaviour.actions }
                let start = ContinuousClock.now
                #expect(await error(endpoint, at: server)?.code == behaviour.code, "\(behaviour.name)")
                // The deadline, and generously what a busy machine adds.
                #expect(ContinuousClock.now - start < .seconds(60), "\(behaviour.name)")
                #expect(server.requests.count == 1, "\(behaviour.name)")
            }
        }

        @Test("a redirect is not followed, with or without the request's body", arguments: HostileEndpoint.allCases)
        func redirects(_ endpoint: HostileEndpoint) async {
            for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
                let thief = RawServer { _ in [.answer(body: "{}")] }
                let server = RawServer { _ in [.answer(status, "Location: \(thief.url)/x?SECRET\n")] }
                let error = await error(endpoint, at: server)
                #expect(error?.code == (endpoint == .discovery ? .discoveryFailed : .redirected))
                #expect(error?.received?.hasPrefix("\(status.prefix(3)) to \(thief.url)/x") == true)
                // Where there is no document, the other well-known place is asked too.
                #expect(server.requests.count == (endpoint == .discovery ? 2 : 1) && thief.requests.isEmpty)
            }
        }
    }
#endif
