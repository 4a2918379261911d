public import AuthStateOAuth

/// Sends HTTP requests: libcurl on Linux, URLSession on Apple platforms, or one of your own.
///
/// An implementation follows no redirect, keeps no cookies, decompresses the body, holds to the request's `timeout` and
/// `maximumResponseBytes`, and returns an answer of any status. Cancelling the task frees the caller at once.
///
/// It sends nothing that goes to this machine through a proxy, and holds to the request's `addressPolicy` where it connects:
/// to each address that a name resolves to, not to the name. With a connection that was kept, or a proxy that resolves names,
/// there is nothing to check: a request whose policy is not `.any` uses no kept connection, and such a proxy for https at most,
/// where the server proves its name.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the whole answer; throws `TransportError`, or `CancellationError` of the task.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and returns the answer when its head has come; the body is read as it comes.
    ///
    /// Of the request, `timeout` is the time until the head, and `maximumResponseBytes` does not count: the reader decides what
    /// it takes. The default reads the whole answer first. A transport around another one forwards the call: events would
    /// wait for an end that does not come.
    ///
    /// - Throws: `TransportError`, or `CancellationError` of the task.
    func stream(_ request: TransportRequest) async throws -> StreamedResponse

    /// Sends a request with a body that is read as it is sent, and returns the answer when its head has come.
    ///
    /// The transport holds a piece of the body at a time, and the request is sent once. `body` of the request does not count; its
    /// `timeout` is the time that the server may take for a piece, and for the head after the last one. A server may answer before it
    /// has the whole body: the rest is not read after a status of 300 or above, nor after an answer that closes the connection. Any
    /// other answer ends after the body.
    ///
    /// The default reads the whole body first, at most 16 MiB. A transport around another one forwards the call.
    ///
    /// - Throws: `TransportError`, `CancellationError` of the task, or the error of the body.
    func stream(_ request: TransportRequest, sending body: StreamedBody) async throws -> StreamedResponse
}

extension HTTPTransport {
    /// Reads the whole answer, then returns it.
    public func stream(_ request: TransportRequest) async throws -> StreamedResponse {
        StreamedResponse(try await send(request))
    }

    /// Reads the whole body, at most 16 MiB, then sends the request.
    public func stream(_ request: TransportRequest, sending body: StreamedBody) async throws -> StreamedResponse {
        var request = request
        request.body = try await body.collected(upTo: 16 << 20)
        return try await stream(request)
    }
}

/// The reason why no answer came.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        /// The kind's name.
        public var rawValue: String
        /// Makes a kind.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// No connection: unknown name, refused, no route, failed proxy.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The host is, or leads to, an address that the request's `addressPolicy` does not allow.
        public static let addressNotAllowed = Code(rawValue: "addressNotAllowed")
        /// TLS failed: the certificate is not trusted, or no common version.
        public static let insecureConnection = Code(rawValue: "insecureConnection")
        /// The client's certificate cannot be used, or the server wants another one, or one at all (RFC 8705).
        public static let clientCertificate = Code(rawValue: "clientCertificate")
        /// The whole exchange took longer than `TransportRequest.timeout`.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The connection broke, or the answer was not HTTP.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The answer's body had more than `TransportRequest.maximumResponseBytes`.
        public static let responseTooLarge = Code(rawValue: "responseTooLarge")
        /// The request cannot be sent as it is: its scheme is not http or https, or a header holds a line break.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// The system's library is missing or too old; the message names the package.
        public static let libraryUnavailable = Code(rawValue: "libraryUnavailable")
    }

    /// The kind of failure.
    public var code: Code
    /// One sentence for a user, without secrets.
    public var message: String
    /// Whether bytes of the request may have reached the server: then it must not be blindly repeated.
    public var requestMayHaveBeenSent: Bool

    /// Makes an error.
    public init(_ code: Code, _ message: String, requestMayHaveBeenSent: Bool) {
        self.code = code
        self.message = message
        self.requestMayHaveBeenSent = requestMayHaveBeenSent
    }

    /// The message.
    public var description: String { message }

    /// Returns the failure of a request whose host leads to no public address; nil is a name of this machine.
    public static func notPublic(_ peer: String, _ address: InternetAddress?) -> TransportError {
        TransportError(
            .addressNotAllowed,
            "\(peer) leads to \(address?.description ?? "this machine"), which is no public address: nothing was sent.",
            requestMayHaveBeenSent: false)
    }
}
