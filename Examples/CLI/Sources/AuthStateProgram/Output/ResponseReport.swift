import AuthStateKit
import AuthStatePlatform

/// A resource's answer, and the library's judgement of it.
struct ResponseReport {
    let response: TransportResponse
    let error: AuthStateError?
    private let url: URL

    init(_ response: TransportResponse, of url: URL, error: AuthStateError? = nil) {
        (self.response, self.url, self.error) = (response, url, error)
    }

    /// 77 when a new login is needed, 1 for any other error status, and for a redirect of the request, which was not answered.
    var status: ExitReason {
        if let error { return ExitReason(error.kind) }
        return (200..<400).contains(response.status) && redirect == nil ? .done : .resource
    }

    /// The place to which the request has to go instead; nil when it was answered. After 303 it was.
    private var redirect: String? {
        [301, 302, 307, 308].contains(response.status) ? response.headers["Location"] : nil
    }

    private var reason: String {
        if let error { return error.description }
        guard let redirect else { return "The resource answered \(response.status)." }
        let target = URL(string: redirect, relativeTo: url)?.absoluteString ?? redirect
        return "The resource answered \(response.status): what is asked for is at another place. Received "
            + "\(target.printable()). Repeat the request there, if you trust that place with your token; redirects are never followed."
    }

    var report: Report {
        var members: [String: JSONValue] = [
            "status": JSONValue(response.status), "headers": .object(headers), "body": .string(text),
        ]
        members["error"] = error?.json
        let note = status == .done ? nil : "authstate: \(reason)"
        return Report(json: .object(members), data: Array(response.body), note: note, status: status)
    }

    /// Names in lower case; lines of one name joined (RFC 9110, section 5.3).
    private var headers: [String: JSONValue] {
        Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
            .mapValues(JSONValue.string)
    }

    private var text: String { String(decoding: response.body, as: UTF8.self) }
}
