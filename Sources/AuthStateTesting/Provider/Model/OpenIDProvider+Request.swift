public import AuthStateFoundation
public import AuthStateJOSE
import AuthStateKit
public import AuthStateOAuth
import AuthStateUserAgent

extension OpenIDProvider {
    /// A request as it reached an endpoint.
    public struct Request: Sendable, Hashable {
        /// Where it arrived.
        public let endpoint: Endpoint
        /// The method.
        public let method: TransportRequest.Method
        /// The query, or for POST the form.
        public let parameters: Parameters
        /// The header fields.
        public let headers: TransportHeaders
        /// The body as it came.
        public let body: Data
        /// Whether the query or form could be decoded, and no name comes twice.
        let isWellFormed: Bool

        init(_ request: LoopbackRequest, at endpoint: Endpoint) {
            self.endpoint = endpoint
            method = TransportRequest.Method(rawValue: request.method)
            headers = request.headers
            body = Data(request.body)
            let text =
                method == .post
                ? (Self.isForm(headers) ? String(decoding: body, as: UTF8.self) : "") : request.query ?? ""
            let decoded = Parameters(decoding: text)
            parameters = decoded ?? [:]
            // RFC 8707 and RFC 8693 let these come more than once.
            var single = parameters
            for name in ["resource", "audience"] { single[name] = nil }
            isWellFormed = decoded != nil && single.repeatedName == nil
        }

        /// The type of a body that is no form, where only a form is read.
        var foreignType: String? {
            let readsForm = ![.resource, .registration, .clientConfiguration].contains(endpoint)
            let type = headers["Content-Type"]?.printable(60) ?? "without Content-Type"
            return readsForm && method == .post && !body.isEmpty && !Self.isForm(headers) ? type : nil
        }

        private static func isForm(_ headers: TransportHeaders) -> Bool {
            headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        }

        /// The client that the request names, in its form or in HTTP Basic.
        var clientID: String? {
            let basic = credentials(of: "Basic").flatMap { Base64.decode($0) }.map {
                String(decoding: $0, as: UTF8.self)
            }
            return parameters["client_id"] ?? basic?.split(separator: ":").first.flatMap { PercentEncoding.decode($0) }
        }

        /// The text after `Bearer` in the `Authorization` header.
        var bearerToken: String? { credentials(of: "Bearer") }

        /// The text after a scheme in the `Authorization` header.
        func credentials(of scheme: String) -> String? {
            guard let header = headers["Authorization"] else { return nil }
            let parts = header.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].equalsIgnoringASCIICase(scheme) else { return nil }
            return String(parts[1])
        }
    }
}

extension OpenIDProvider.Request: Redacted {
    /// Method, endpoint and the names of the parameters: values can be credentials.
    public var description: String { "\(method) \(endpoint.rawValue) \(parameters)" }
}
