#if canImport(Darwin)
    public import AuthStateOAuth
    internal import Foundation
    internal import Security

    /// HTTP through URLSession, with an ephemeral session: no redirects, no cookies, no cache, no stored credentials.
    ///
    /// Of a field that an answer has several times, the values are joined with commas. The system's proxies are used.
    public final class URLSessionTransport: HTTPTransport {
        /// How the transport was set up.
        public let configuration: Configuration

        private let session: URLSession
        private let delegate: URLSessionTransportDelegate
        private let problem: TransportError?

        /// Makes a transport with a session of its own, whose connections are kept for the next request.
        ///
        /// A file of authorities that cannot be used is said by the first request.
        public init(configuration: Configuration = Configuration()) {
            self.configuration = configuration
            let authorities = Result { try configuration.certificateAuthorities() }
            let anchors = (try? authorities.get()) ?? []
            if case .failure(let error) = authorities { problem = error as? TransportError } else { problem = nil }
            delegate = URLSessionTransportDelegate(anchors: anchors, identity: configuration.clientIdentity)
            session = URLSession(configuration: configuration.forSession, delegate: delegate, delegateQueue: nil)
        }

        // The session keeps its delegate until then.
        deinit { session.invalidateAndCancel() }

        /// Sends a request and returns the whole answer, whatever its status.
        ///
        /// - Throws: `TransportError`, or `CancellationError` as soon as the task is cancelled.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            if let problem { throw problem }
            let wire = try WireRequest(request)
            let exchange = URLSessionExchange(wire)
            let task = session.dataTask(with: wire.urlRequest(for: request.url))
            delegate.begin(exchange, task)
            // The session's own limit for a whole exchange is the same for all of them.
            let limit = Task {
                try await Task.sleep(for: wire.timeout)
                exchange.timeOut()
                task.cancel()
            }
            defer { limit.cancel() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    if exchange.wait(continuation) { task.resume() } else { delegate.forget(task) }
                }
            } onCancel: {
                exchange.cancel()
                task.cancel()
            }
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
