import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// A member of a request or an answer as a report shows it.
struct ReportedMember: Sendable {
    let name: String
    /// The value, or the mark of a secret one.
    let value: String
    let isMark: Bool
}

/// One HTTP exchange, without the values that are secret or personal.
struct RecordedExchange: Sendable {
    let date: Date
    let duration: Duration
    let method: String
    /// The address; of the query only the names and the values that are harmless.
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
    /// The addresses in an answer that is the metadata of a provider.
    let providerURLs: Set<String>

    init(
        _ request: TransportRequest, _ outcome: Result<TransportResponse, any Error>, at date: Date,
        took duration: Duration, mark: @escaping (String) -> String
    ) {
        let redaction = Redaction(secrets: RequestSecrets(request), mark: mark)
        let parts = URIReference(request.url.absoluteString)
        (self.date, self.duration) = (date, duration)
        (method, url) = (request.method.rawValue, parts.redacted)
        let query = redaction.parameters(parts.query.map(String.init) ?? "")
        self.query = query
        requestHeaders = redaction.headers(request.headers)
        requestType = request.headers["Content-Type"] ?? ""
        requestBytes = request.body?.count ?? 0
        let form = redaction.body(
            [UInt8](request.body ?? Data()), request.headers["Content-Type"] ?? "", isPublic: false)
        let authorization = redaction.authorization(request.headers)
        sent = query + authorization + form
        let scheme = request.headers["Authorization"].map { $0.prefix { $0 != " " }.lowercased() }
        hasToken = scheme == "bearer" || scheme == "dpop"
        switch outcome {
        case .success(let response):
            status = response.status
            failure = nil
            let headers = redaction.headers(response.headers)
            responseHeaders = headers
            responseType = response.headers["Content-Type"] ?? ""
            responseBytes = response.body.count
            let json = try? JSONValue(parsing: [UInt8](response.body))
            let isDocument = parts.path.contains("/.well-known/") || json?["keys"]?.arrayValue != nil
            let notable = ["WWW-Authenticate", "Location", "Retry-After", "DPoP-Nonce"].flatMap { name in
                headers.filter { $0.name.lowercased() == name.lowercased() }
            }
            received = notable + redaction.body([UInt8](response.body), responseType, isPublic: isDocument && !hasToken)
            providerURLs = isDocument && json?["issuer"] != nil ? Self.addresses(in: json) : []
        case .failure(let error):
            status = nil
            failure =
                (error as? TransportError)?.message ?? (error is CancellationError ? "Cancelled." : "No answer came.")
            (responseHeaders, received, responseType, responseBytes, providerURLs) = ([], [], "", 0, [])
        }
    }

    /// Whether the status says that the request failed, or no answer came.
    var isFailed: Bool { status.map { $0 >= 400 } ?? true }

    /// Scheme, host and port.
    var origin: String? { URIReference(url).origin }

    private static func addresses(in json: JSONValue?) -> Set<String> {
        Set((json?.objectValue ?? [:]).values.compactMap(\.stringValue).filter { $0.hasPrefix("http") })
    }
}

/// Decides which values are shown: those of names that are known to be harmless, and of documents that are public.
struct Redaction {
    /// The secrets of the request, short ones among them; an answer may repeat them.
    let secrets: RequestSecrets
    let mark: (String) -> String

    /// Members of answers and registrations that are neither secret nor about the user.
    private static let harmlessMembers: Set<String> = LoginTrace.Detail.harmless.union([
        "active", "application_type", "authorization_details", "client_id_issued_at", "client_name",
        "client_secret_expires_at", "expires_in", "grant_types", "interval", "issued_token_type",
        "post_logout_redirect_uris", "redirect_uris", "refresh_expires_in", "response_types", "subject_token_type",
        "token_endpoint_auth_method", "token_type", "token_type_hint", "client_assertion_type", "logo_uri",
        "requested_token_type", "verification_uri",
    ])

    private static let harmlessHeaders: Set<String> = [
        "accept", "cache-control", "content-encoding", "content-length", "content-type", "date", "retry-after",
        "server",
        "user-agent", "vary", "allow", "age", "expires", "last-modified", "pragma",
    ]

    func member(_ name: String, _ value: String, isShown: Bool) -> ReportedMember {
        let name = secrets.hiding(foreign: name).printable(60)
        return isShown
            ? ReportedMember(name: name, value: secrets.hiding(foreign: value).printable(300), isMark: false)
            : ReportedMember(name: name, value: mark(value), isMark: true)
    }

    func parameters(_ text: String) -> [ReportedMember] {
        guard !text.isEmpty else { return [] }
        guard let parameters = Parameters(decoding: text) else { return [member("query", text, isShown: false)] }
        return parameters.names.flatMap { name in
            parameters.values(name).map { member(name, $0, isShown: Self.harmlessMembers.contains(name)) }
        }
    }

    func headers(_ headers: TransportHeaders) -> [ReportedMember] {
        headers.map { field in
            switch field.name.lowercased() {
            case "www-authenticate":
                // Its realm, errors and scopes explain a refusal; a challenge carries no secret of this client.
                member(field.name, field.value, isShown: true)
            case "authorization", "proxy-authorization":
                // The scheme, and the mark that a token has everywhere else.
                ReportedMember(
                    name: field.name,
                    value: authorization(field).map { "\($0.scheme) \($0.mark)" } ?? mark(field.value),
                    isMark: true)
            case "location": member(field.name, URIReference(field.value).redacted, isShown: true)
            case let name: member(field.name, field.value, isShown: Self.harmlessHeaders.contains(name))
            }
        }
    }

    /// What a request proves the client or the user with.
    func authorization(_ headers: TransportHeaders) -> [ReportedMember] {
        headers.compactMap { field in
            switch field.name.lowercased() {
            case "authorization":
                authorization(field).map {
                    ReportedMember(name: "Authorization: \($0.scheme)", value: $0.mark, isMark: true)
                }
            case "dpop": member("DPoP", field.value, isShown: false)
            case "cookie": member("Cookie", field.value, isShown: false)
            default: nil
            }
        }
    }

    /// The scheme of a proof, and the mark of its secret as the program knows it.
    private func authorization(_ field: TransportHeaders.Field) -> (scheme: String, mark: String)? {
        let scheme = field.value.prefix { $0 != " " }
        let credentials = String(field.value[scheme.endIndex...].drop { $0 == " " })
        guard !credentials.isEmpty else { return nil }
        let whole = mark(credentials)
        guard let secret = RequestSecrets.basic(field.value)?.secret else {
            return (String(scheme).printable(20), whole)
        }
        return (String(scheme).printable(20), mark(PercentEncoding.decode(secret[...]) ?? secret))
    }

    /// The members of a form or a JSON document; of everything else the size.
    func body(_ bytes: [UInt8], _ type: String, isPublic: Bool) -> [ReportedMember] {
        guard !bytes.isEmpty else { return [] }
        if type.lowercased().hasPrefix("application/x-www-form-urlencoded") {
            return parameters(String(decoding: bytes, as: UTF8.self))
        }
        guard let members = (try? JSONValue(parsing: bytes))?.objectValue else {
            return [ReportedMember(name: "body", value: "\(bytes.count) bytes, \(type.printable(60))", isMark: false)]
        }
        return members.sorted { $0.key < $1.key }.map { name, value in
            if isPublic, name == "keys", let keys = value.arrayValue {
                let names = keys.map { "\($0["kid"]?.stringValue ?? "no kid") (\($0["kty"]?.stringValue ?? "?"))" }
                return member(name, "\(keys.count): \(names.joined(separator: ", "))", isShown: true)
            }
            let text = value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self)
            return member(name, text, isShown: isPublic || Self.harmlessMembers.contains(name))
        }
    }
}
