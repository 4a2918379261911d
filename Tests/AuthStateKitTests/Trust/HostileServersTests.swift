#if os(Linux)
    import AuthStateKit
    import AuthStateOAuth
    import Testing

    /// The same endpoints at servers that misbehave below HTTP's surface: the transport, its limits and its deadline.
    @Suite("Hostile servers", .timeLimit(.minutes(1)))
    struct HostileServersTests {
        /// What a server does with each request, and the error that follows at every endpoint.
        struct Behaviour: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var code: AuthStateError.Code
            var actions: [RawServer.Action]
        }

        static let behaviours = [
            Behaviour(testDescription: "says nothing", code: .timedOut, actions: []),
            Behaviour(
                testDescription: "sends a byte at a time", code: .timedOut,
                actions: [.text("HTTP/1.1 200 OK\nContent-Length: 100000\n\n"), .drip]),
            Behaviour(
                testDescription: "sends its header a byte at a time", code: .timedOut,
                actions: [.text("HTTP/1.1 200 OK\nX: "), .drip]),
            Behaviour(
                testDescription: "sends chunks without end", code: .responseTooLarge,
                actions: [
                    .text("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"),
                    .text(String(repeating: "400\n" + String(repeating: " ", count: 1024) + "\n", count: 100)),
                ]),
            Behaviour(
                testDescription: "announces too much", code: .responseTooLarge,
                actions: [
                    .text("HTTP/1.1 200 OK\nContent-Length: 99999999999\n\n" + String(repeating: " ", count: 70_000))
                ]),
            Behaviour(
                testDescription: "sends a compressed bomb", code: .responseTooLarge,
                actions: [
                    .text("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(gzippedMebibyte.count)\n\n"),
                    .send(gzippedMebibyte),
                ]),
            Behaviour(
                testDescription: "sends interim answers without end", code: .responseTooLarge,
                actions: [.text(String(repeating: "HTTP/1.1 103 Early Hints\nLink: </a>\n\n", count: 5000))]),
            Behaviour(
                testDescription: "floods the header", code: .responseTooLarge,
                actions: [
                    .text(
                        "HTTP/1.1 200 OK\n"
                            + String(repeating: "X-Filler: \(String(repeating: "x", count: 99))\n", count: 2000))
                ]),
            Behaviour(testDescription: "hangs up", code: .connectionLost, actions: [.close]),
            Behaviour(testDescription: "resets", code: .connectionLost, actions: [.reset]),
            Behaviour(
                testDescription: "hangs up in the middle", code: .connectionLost,
                actions: [.text("HTTP/1.1 200 OK\nContent-Length: 100\n\n{\"sub\":\"ada\""), .close]),
            Behaviour(
                testDescription: "frames its answer twice", code: .connectionLost,
                actions: [.text("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 7\n\n{\"a\":1}"), .close]),
        ]

        private var limits: AuthorizationService.Configuration {
            var limits = AuthorizationService.Configuration()
            limits.requestTimeout = .milliseconds(400)
            limits.maximumResponseBytes = 1 << 16
            return limits
        }

        private func error(_ endpoint: HostileEndpoint, at server: RawServer) async -> AuthStateError? {
            do {
                try await endpoint.ask(CurlTransport(), at: server.url, limits: limits)
                return nil
            } catch {
                #expect(error is AuthStateError && !"\(error)".contains("SECRET"))
                return error as? AuthStateError
            }
        }

        @Test(
            "a server that misbehaves costs one request, the deadline at most, and no state",
            arguments: HostileEndpoint.allCases, behaviours)
        func misbehaves(_ endpoint: HostileEndpoint, _ behaviour: Behaviour) async {
            let server = RawServer { _ in behaviour.actions }
            let start = ContinuousClock.now
            #expect(await error(endpoint, at: server)?.code == behaviour.code)
            // The deadline, and generously what a busy machine adds.
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(server.requests.count == 1)
        }

        @Test(
            "a redirect is not followed, with or without the request's body", arguments: HostileEndpoint.allCases,
            ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"])
        func redirects(_ endpoint: HostileEndpoint, _ status: String) async {
            let thief = RawServer { _ in [.answer(body: "{}")] }
            let server = RawServer { _ in [.answer(status, "Location: \(thief.url)/x?SECRET\n")] }
            let error = await error(endpoint, at: server)
            #expect(error?.code == (endpoint == .discovery ? .discoveryFailed : .redirected))
            #expect(error?.received == "\(status.prefix(3)) to \(thief.url)/x")
            #expect(server.requests.count == 1 && thief.requests.isEmpty)
        }
    }
#endif
