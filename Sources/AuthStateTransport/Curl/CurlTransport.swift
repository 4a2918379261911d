#if os(Linux)
    import AuthStateJOSE
    public import AuthStateOAuth

    /// HTTP through the system's libcurl, with one thread for all exchanges and connections kept for the next request.
    ///
    /// The library is looked for, and the thread started, when the first request is sent; both end with the last
    /// reference to the transport. `Accept-Encoding` offers what libcurl can decompress; HTTP/2 is used where server and
    /// library speak it. A request that is not idempotent is never repeated, not even over a kept connection that turns
    /// out to be dead.
    public final class CurlTransport: HTTPTransport {
        /// The configuration that the transport was made with.
        public let configuration: Configuration

        private let started = Lock<CurlMailbox?>(nil)

        /// Makes a transport; nothing is opened yet.
        public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

        deinit { started.withLock { $0 }?.post(.stop) }

        /// Sends a request and returns the whole answer, with any status; throws `TransportError`, or
        /// `CancellationError` as soon as the task is cancelled.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            try await perform(TransportExchange(try WireRequest(request)), by: try mailbox())
        }

        /// Sends a request and returns the answer when its head has come, with any status; throws as `send(_:)` does.
        ///
        /// A connection that carries a stream does not count among `maximumConnectionsPerHost`.
        public func stream(_ request: TransportRequest) async throws -> StreamedResponse {
            let (mailbox, body) = (try mailbox(), BodyPipe())
            let exchange = TransportExchange(try WireRequest(request), body: body)
            body.onRoom { [weak exchange] in exchange.map { mailbox.post(.resume($0)) } }
            let limit = Task {
                try await Task.sleep(for: exchange.request.timeout)
                exchange.finish(.failure(CurlFailure.timedOut(exchange.request)))
                mailbox.post(.cancel(exchange))
            }
            defer { limit.cancel() }
            let head = try await perform(exchange, by: mailbox)
            let reader = BodyReader(body) { mailbox.post(.cancel(exchange)) }
            return StreamedResponse(status: head.status, headers: head.headers) { [self] in
                // The connections end with the transport.
                defer { withExtendedLifetime(self) {} }
                return try await reader.next()
            }
        }

        private func perform(
            _ exchange: TransportExchange, by mailbox: CurlMailbox
        ) async throws -> TransportResponse {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    if exchange.wait(continuation) { mailbox.post(.start(exchange)) }
                }
            } onCancel: {
                exchange.finish(.failure(CancellationError()))
                mailbox.post(.cancel(exchange))
            }
        }

        private func mailbox() throws -> CurlMailbox {
            if let mailbox = started.withLock({ $0 }) { return mailbox }
            try CurlLibrary.open()
            try configuration.clientCertificate?.check()
            let authorities = try configuration.ownAuthorities()
            return try started.withLock { mailbox in
                if let mailbox { return mailbox }
                let new = try CurlMailbox()
                try CurlLoop.start(mailbox: new, configuration: configuration, authorities: authorities)
                mailbox = new
                return new
            }
        }
    }
#endif
