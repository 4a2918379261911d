public import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateUserAgent

extension OpenIDProvider {
    /// A log line for one request, without secrets.
    public struct LogLine: Sendable, Hashable {
        /// The time of the request.
        public let date: Date
        /// The endpoint; nil for a path without one.
        public let endpoint: Endpoint?
        /// Method, path, grant, client, status or failure, and the error with its description.
        public let message: String

        init(_ request: Request, path: String, at date: Date, outcome: String) {
            (self.date, endpoint) = (date, request.endpoint)
            let words = [request.parameters["grant_type"], request.clientID].compactMap { $0?.printable(100) }
            message = (["\(request.method)", path.printable(200)] + words + [outcome.printable(400)]).joined(
                separator: " ")
        }

        init(unknown method: String, _ path: String, at date: Date, status: Int) {
            (self.date, endpoint) = (date, nil)
            message = "\(method.printable(20)) \(path.printable(200)) \(status)"
        }
    }
}

extension OpenIDProvider.LogLine: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension LoopbackResponse {
    /// What a log says of it: the status, and the OAuth error that the body or the redirect has.
    var outcome: String {
        let redirected = headers["Location"].flatMap { URIReference($0).query.flatMap { Parameters(decoding: $0) } }
        let members = headers["Content-Type"] == "application/json" ? try? JSONValue(parsing: body) : nil
        func text(_ name: String) -> String? { redirected?[name] ?? members?[name]?.stringValue }
        guard let error = text("error") else {
            let page = status >= 400 ? String(decoding: body, as: UTF8.self) : ""
            let alert = page.firstMatch(of: /<p role="alert">(.*?)<\/p>/)?.output.1
            return "\(status)" + (alert.map { " \($0.replacing("&amp;", with: "&"))" } ?? "")
        }
        return "\(status) \(error)" + (text("error_description").map { ": \($0)" } ?? "")
    }
}

extension OpenIDProvider.Fault {
    /// What a log says in place of a status.
    var outcome: String {
        switch self {
        case .status(let status, _), .oauthError(_, let status, _), .text(_, _, let status), .redirect(_, let status):
            "\(status)"
        case .hang: "no answer"
        case .resetBeforeProcessing, .reset, .halfBody: "connection broken"
        case .held, .delay: "late"
        }
    }
}
