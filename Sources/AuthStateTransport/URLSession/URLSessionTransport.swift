#if canImport(Darwin)
    public import AuthStateOAuth
    import Foundation
    import Security

    /// HTTP through URLSession, with an ephemeral session: no redirects, no cookies, no cache, no stored credentials.
    ///
    /// Of a field that an answer has several times, the values are joined with commas. The system's proxies are used, but not
    /// for this machine and not for a request whose `addressPolicy` is strict.
    ///
    /// URLSession does not show the address before it connects. So of an `addressPolicy` only what the URL itself says is
    /// checked: numbers and `localhost`. A name that the resolver leads to a private address is not noticed.
    public final class URLSessionTransport: HTTPTransport {
        /// The configuration that the transport was made with.
        public let configuration: Configuration

        private let proxied: Route
        private let direct: Route
        private let problem: TransportError?

        /// Makes a transport with a session of its own, whose connections are kept for the next request.
        ///
        /// The first request reports a file of authorities that cannot be used.
        public init(configuration: Configuration = Configuration()) {
            self.configuration = configuration
            let authorities = Result { try configuration.certificateAuthorities() }
            let anchors = (try? authorities.get()) ?? []
            if case .failure(let error) = authorities { problem = error as? TransportError } else { problem = nil }
            proxied = Route(configuration, anchors: anchors, usesProxies: true)
            direct = Route(configuration, anchors: anchors, usesProxies: false)
        }

        // A session keeps its delegate until it is invalidated.
        deinit { for route in [proxied, direct] { route.session.invalidateAndCancel() } }

        /// Sends a request and returns the whole answer, with any status; throws `TransportError`, or
        /// `CancellationError` as soon as the task is cancelled.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            try await perform(request).response
        }

        /// Sends a request and returns the answer when its head has come, with any status; throws as `send(_:)` does.
        public func stream(_ request: TransportRequest) async throws -> StreamedResponse {
            let body = BodyPipe()
            let (head, task) = try await perform(request, body: body)
            body.onRoom { task.resume() }
            let reader = BodyReader(body) { task.cancel() }
            return StreamedResponse(status: head.status, headers: head.headers) { [self] wanted in
                // The session ends with the transport.
                defer { withExtendedLifetime(self) {} }
                return try await reader.next(atLeast: wanted)
            }
        }

        private func perform(
            _ request: TransportRequest, body: BodyPipe? = nil
        ) async throws -> (response: TransportResponse, task: URLSessionTask) {
            if let problem { throw problem }
            let wire = try WireRequest(request)
            guard wire.addressPolicy.allows(host: wire.host) else {
                throw TransportError.notPublic(wire.peer, InternetAddress(host: wire.host))
            }
            let exchange = URLSessionExchange(wire, body: body)
            let route = wire.mayUseProxy ? proxied : direct
            let (session, delegate) = (route.session, route.delegate)
            var message = wire.urlRequest(for: request.url)
            // The time between two pieces of a stream has no limit that the session could know.
            if body != nil { message.timeoutInterval = .infinity }
            let task = session.dataTask(with: message)
            delegate.begin(exchange, task)
            // The session's own limit for a whole exchange is the same for all of them.
            let limit = Task {
                try await Task.sleep(for: wire.timeout)
                exchange.timeOut()
                task.cancel()
            }
            defer { limit.cancel() }
            let response = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    if exchange.wait(continuation) { task.resume() } else { delegate.forget(task) }
                }
            } onCancel: {
                exchange.cancel()
                task.cancel()
            }
            return (response, task)
        }
    }

    /// A session with its delegate, with or without the system's proxies: those belong to a session, not to a request.
    private struct Route {
        let session: URLSession
        let delegate: URLSessionTransportDelegate

        init(_ configuration: URLSessionTransport.Configuration, anchors: [SecCertificate], usesProxies: Bool) {
            delegate = URLSessionTransportDelegate(anchors: anchors, identity: configuration.clientIdentity)
            session = URLSession(
                configuration: configuration.forSession(usesProxies: usesProxies), delegate: delegate,
                delegateQueue: nil)
        }
    }

    extension WireRequest {
        fileprivate func urlRequest(for url: URL) -> URLRequest {
            var request = URLRequest(
                url: url, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData,
                timeoutInterval: Double(timeoutMilliseconds) / 1000)
            request.httpMethod = method
            request.httpBody = sendsBody ? body ?? Data() : nil
            request.httpShouldHandleCookies = false
            if !hasHeader("User-Agent") { request.setValue("AuthStateKit", forHTTPHeaderField: "User-Agent") }
            for field in headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
            return request
        }
    }
#endif
