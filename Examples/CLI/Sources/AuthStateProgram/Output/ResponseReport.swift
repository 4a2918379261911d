import AuthStateKit

/// A resource's answer, and the library's judgement of it.
struct ResponseReport {
    let response: TransportResponse
    let error: AuthStateError?

    init(_ response: TransportResponse, error: AuthStateError? = nil) {
        self.response = response
        self.error = error
    }

    /// 77 when a new login is needed, 1 for any other error status.
    var status: ExitReason {
        if let error { return ExitReason(error.kind) }
        return (200..<400).contains(response.status) ? .done : .resource
    }

    var report: Report {
        var members: [String: JSONValue] = [
            "status": JSONValue(response.status), "headers": .object(headers), "body": .string(text),
        ]
        members["error"] = error?.json
        let note =
            status == .done ? nil : "authstate: \(error?.description ?? "The resource answered \(response.status).")"
        return Report(json: .object(members), data: Array(response.body), note: note, status: status)
    }

    /// Names in lower case; lines of one name joined (RFC 9110, section 5.3).
    private var headers: [String: JSONValue] {
        Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
            .mapValues(JSONValue.string)
    }

    private var text: String { String(decoding: response.body, as: UTF8.self) }
}
