public import AuthStateFoundation
public import AuthStateJOSE

/// An HTTP request as a value; an `HTTPTransport` sends it.
public struct TransportRequest: Sendable, Hashable, Redacted {
    /// The method, `.get` for example.
    public var method: Method
    /// Where it goes: http or https.
    public var url: URL
    /// The header fields, `Authorization` included.
    public var headers: TransportHeaders
    /// The body; nil sends none.
    public var body: Data?
    /// The time that the whole exchange may take, from the name's look-up to the last byte of the answer.
    public var timeout: Duration
    /// The most bytes that the answer's body may have, counted after decompression.
    public var maximumResponseBytes: Int
    /// The addresses that it may be sent to; a transport checks it where it connects.
    public var addressPolicy: AddressPolicy

    /// Makes a request.
    public init(
        method: Method = .get, url: URL, headers: TransportHeaders = [:], body: Data? = nil,
        timeout: Duration = .seconds(30), maximumResponseBytes: Int = 4 << 20, addressPolicy: AddressPolicy = .any
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumResponseBytes = maximumResponseBytes
        self.addressPolicy = addressPolicy
    }

    /// Method, host and path: query, header values and body can be credentials.
    public var description: String { "\(method) \(url.redactedDescription)" }

    /// A request method (RFC 9110, section 9); names compare with regard to case.
    public struct Method: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name, as it is sent.
        public let rawValue: String
        /// Makes a method; a transport refuses a name that is not an HTTP token.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Makes a method from a literal.
        public init(stringLiteral value: String) { self.init(rawValue: value) }
        /// The name.
        public var description: String { rawValue }

        /// `GET`.
        public static let get: Method = "GET"
        /// `HEAD`.
        public static let head: Method = "HEAD"
        /// `POST`.
        public static let post: Method = "POST"
        /// `PUT`.
        public static let put: Method = "PUT"
        /// `PATCH`.
        public static let patch: Method = "PATCH"
        /// `DELETE`.
        public static let delete: Method = "DELETE"
        /// `OPTIONS`.
        public static let options: Method = "OPTIONS"
    }
}

extension URL {
    /// The URL without user, query and fragment, which can carry codes and tokens.
    package var redactedDescription: String { URIReference(absoluteString).redacted }
}
