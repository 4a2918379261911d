public import AuthStateOAuth

/// The platform's own transport: libcurl on Linux, URLSession on Apple platforms.
public struct SystemTransport: HTTPTransport {
    #if os(Linux)
        private let base: CurlTransport
    #else
        private let base: URLSessionTransport
    #endif

    /// One transport for the whole process; its connections are shared by all that use it.
    public static let shared = SystemTransport()

    /// Makes a transport with connections of its own.
    ///
    /// - Parameter certificateAuthorityFile: a PEM file of certificate authorities to trust besides the system's.
    public init(certificateAuthorityFile: String? = nil) {
        #if os(Linux)
            base = CurlTransport(configuration: .init(certificateAuthorityFile: certificateAuthorityFile))
        #else
            base = URLSessionTransport(configuration: .init(certificateAuthorityFile: certificateAuthorityFile))
        #endif
    }

    /// Sends a request and returns the whole answer.
    ///
    /// - Throws: `TransportError`, or `CancellationError` when the task was cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await base.send(request)
    }
}

extension HTTPTransport where Self == SystemTransport {
    /// The platform's own transport, shared by the whole process.
    public static var system: SystemTransport { .shared }

    /// Returns the platform's own transport, which trusts the authorities of a PEM file besides the system's.
    public static func system(certificateAuthorityFile: String?) -> SystemTransport {
        certificateAuthorityFile == nil ? .shared : SystemTransport(certificateAuthorityFile: certificateAuthorityFile)
    }
}
