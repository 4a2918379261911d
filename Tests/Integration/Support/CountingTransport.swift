import AuthStateKit
import Foundation

/// Passes requests on, and remembers where they went.
actor CountingTransport: HTTPTransport {
    private let base: any HTTPTransport
    private var paths: [String] = []

    init(_ base: any HTTPTransport) { self.base = base }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        paths.append(request.url.absoluteString)
        return try await base.send(request)
    }

    /// The number of requests that went to a URL.
    func count(of url: String) -> Int { paths.count { $0 == url } }

    /// The number of requests that were sent in all.
    var total: Int { paths.count }
}
