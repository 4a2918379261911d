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
            try await stream(try WireRequest(request), nil)
        }

        /// Sends a request with a body that is read as it is sent, and returns the answer when its head has come, with any status;
        /// throws as `send(_:)` does, and the error of the body.
        public func stream(_ request: TransportRequest, sending body: StreamedBody) async throws -> StreamedResponse {
            try await stream(try WireRequest(request, streamsBody: true), body)
        }

        private func stream(_ request: WireRequest, _ source: StreamedBody?) async throws -> StreamedResponse {
            let (mailbox, body, upload) = (try mailbox(), BodyPipe(), source.map { UploadPipe(count: $0.count) })
            let exchange = TransportExchange(request, body: body, upload: upload)
            let end: @Sendable (any Error) -> Void = { error in
                exchange.finish(.failure(error))
                mailbox.post(.cancel(exchange))
            }
            body.onRoom { [weak exchange] in exchange.map { mailbox.post(.resume($0)) } }
            if let source, let upload {
                upload.start(source, wake: { mailbox.post(.resume(exchange)) }, fail: end)
            }
            let head = try await perform(exchange, by: mailbox)
            let reader = BodyReader(body) { end(CancellationError()) }
            return StreamedResponse(status: head.status, headers: head.headers, trailers: { body.trailers }) {
                [self] wanted in
                // The connections end with the transport.
                defer { withExtendedLifetime(self) {} }
                return try await reader.next(atLeast: wanted)
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
            let authorities = try configuration.certificateAuthorityFile.map(CertificateAuthorities.pem(ofFile:))
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
