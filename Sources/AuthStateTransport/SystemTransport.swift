public import AuthStateOAuth

/// The platform's own transport: libcurl on Linux, URLSession on Apple platforms.
public struct SystemTransport: HTTPTransport {
    #if os(Linux)
        private typealias Base = CurlTransport
    #else
        private typealias Base = URLSessionTransport
    #endif

    private let base: Base

    /// One transport for the whole process; its connections are shared by all that use it.
    public static let shared = SystemTransport()

    /// Makes a transport with connections of its own, which trusts the authorities of a PEM file besides the system's.
    public init(certificateAuthorityFile: String? = nil) {
        base = Base(configuration: .init(certificateAuthorityFile: certificateAuthorityFile))
    }

    /// Loads libcurl on Linux, which the first request does otherwise; blocks for some milliseconds, elsewhere not at all.
    ///
    /// For a program that has something else to do before its first request: `Task { SystemTransport.prepare() }`. What fails here
    /// is thrown by that request.
    public static func prepare() {
        #if os(Linux)
            try? CurlLibrary.open()
        #endif
    }

    /// Sends a request and returns the whole answer; throws `TransportError`, or `CancellationError` of the task.
    public func send(_ request: TransportRequest) async throws -> TransportResponse { try await base.send(request) }

    /// Sends a request and returns the answer when its head has come; throws as `send(_:)` does.
    public func stream(_ request: TransportRequest) async throws -> StreamedResponse { try await base.stream(request) }

    /// Sends a request with a body that is read as it is sent; throws as `send(_:)` does, and the error of the body.
    ///
    /// On Apple platforms the whole body is read first, at most 16 MiB.
    public func stream(_ request: TransportRequest, sending body: StreamedBody) async throws -> StreamedResponse {
        try await base.stream(request, sending: body)
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
