import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// One HTTP exchange, without the values that are secret or personal.
struct RecordedExchange: Sendable {
    let date: Date
    let duration: Duration
    let method: String
    /// The address, without its query.
    let url: String
    let query: [ReportedMember]
    /// The status; nil when no answer came.
    let status: Int?
    /// The reason for no answer.
    let failure: String?
    let requestHeaders, responseHeaders: [ReportedMember]
    let sent, received: [ReportedMember]
    let requestBytes, responseBytes: Int
    let requestType, responseType: String
    /// Whether it carried an access token.
    let hasToken: Bool
    /// The addresses of the provider that the answer names.
    let providerURLs: Set<String>

    /// - Parameter known: The addresses of the provider that earlier answers named.
    init(
        _ request: TransportRequest, _ outcome: Result<TransportResponse, any Error>, at date: Date,
        took duration: Duration, known: Set<String>, mark: @escaping (String, Bool) -> String
    ) {
        let redaction = Redaction(secrets: RequestSecrets(request), mark: mark)
        let parts = URIReference(request.url.absoluteString)
        let url = parts.redacted
        let scheme = request.headers["Authorization"].map { $0.prefix { $0 != " " }.lowercased() }
        let hasToken = scheme == "bearer" || scheme == "dpop"
        let subject: Redaction.Subject =
            if hasToken {
                known.contains(url) ? .claims : .api
            } else {
                request.method == .get && scheme == nil && Self.isMetadata(parts.path) ? .metadata : .provider
            }
        let query = redaction.parameters(parts.query.map(String.init) ?? "", of: subject)
        let requestType = request.headers["Content-Type"] ?? ""
        (self.date, self.duration, method, self.url) = (date, duration, request.method.rawValue, url)
        (self.query, self.hasToken, self.requestType) = (query, hasToken, requestType)
        requestHeaders = redaction.headers(request.headers)
        requestBytes = request.body?.count ?? 0
        sent =
            query + redaction.proofs(request.headers)
            + redaction.body([UInt8](request.body ?? Data()), requestType, of: subject)
        switch outcome {
        case .success(let response):
            (status, failure) = (response.status, String?.none)
            let headers = redaction.headers(response.headers)
            responseHeaders = headers
            responseType = response.headers["Content-Type"] ?? ""
            responseBytes = response.body.count
            let notable = ["www-authenticate", "location", "retry-after", "dpop-nonce"].flatMap { name in
                headers.filter { $0.name.lowercased() == name }
            }
            received =
                notable + redaction.body([UInt8](response.body), response.headers["Content-Type"] ?? "", of: subject)
            providerURLs = Self.addresses(in: try? JSONValue(parsing: [UInt8](response.body)), of: subject)
        case .failure(let error):
            (status, failure) = (
                nil,
                (error as? TransportError)?.message ?? (error is CancellationError ? "Cancelled." : "No answer came.")
            )
            (responseHeaders, received, responseType, responseBytes, providerURLs) = ([], [], "", 0, [])
        }
    }

    /// Whether the status says that the request failed, or no answer came.
    var isFailed: Bool { status.map { $0 >= 400 } ?? true }

    /// The end.
    var end: Date { date.addingTimeInterval(duration / .seconds(1)) }

    /// Scheme, host and port.
    var origin: String? { URIReference(url).origin }

    /// Whether a path is one at which metadata are; WebFinger's answers are about a user.
    private static func isMetadata(_ path: Substring) -> Bool {
        ["openid-configuration", "oauth-authorization-server", "oauth-protected-resource"].contains {
            path.contains("/.well-known/\($0)")
        }
    }

    /// The addresses of the provider in its metadata, or of a registration.
    private static func addresses(in json: JSONValue?, of subject: Redaction.Subject) -> Set<String> {
        let members = json?.objectValue ?? [:]
        let texts =
            subject == .metadata && members["issuer"] != nil
            ? members.values.compactMap(\.stringValue)

            : subject == .provider || subject == .claims
                ? [members["registration_client_uri"]?.stringValue].compactMap(\.self) : []
        return Set(texts.filter { $0.hasPrefix("http") }.map { URIReference($0).redacted })
    }
}
