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
            let mailbox = try mailbox()
            let exchange = TransportExchange(try WireRequest(request))
            return try await withTaskCancellationHandler {
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
