public import AuthStateFoundation
import AuthStateOAuth

extension OpenIDProvider {
    /// A log line for one request, without secrets.
    public struct LogLine: Sendable, Hashable {
        /// The time of the request.
        public let date: Date
        /// The endpoint.
        public let endpoint: Endpoint
        /// Method, path, grant, client, and status or failure.
        public let message: String

        init(_ request: Request, path: String, at date: Date, outcome: String) {
            (self.date, endpoint) = (date, request.endpoint)
            let words = ["grant_type", "client_id"].compactMap { request.parameters[$0]?.printable(100) }
            message = (["\(request.method)", path.printable(200)] + words + [outcome]).joined(separator: " ")
        }
    }
}

extension OpenIDProvider.LogLine: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension OpenIDProvider.Fault {
    /// What a log says in place of a status.
    var outcome: String {
        switch self {
        case .status(let status, _), .oauthError(_, let status, _), .body(_, _, let status), .redirect(_, let status):
            "\(status)"
        case .hang: "no answer"
        case .resetBeforeProcessing, .reset, .halfBody: "connection broken"
        case .held, .delay: "late"
        }
    }
}
