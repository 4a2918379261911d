package import AuthStateJOSE

extension TransportResponse {
    /// The body as a JSON value; nil when it is none.
    package var json: JSONValue? { try? JSONValue(answer: body) }

    /// Whether the status is that of a success with a whole document; one that the specifications do not name for it is noted.
    package func isSuccess(_ specified: Int...) -> Bool {
        guard (200...203).contains(status) else { return false }
        if !specified.contains(status) { Leniency.otherSuccess.note("\(status)") }
        return true
    }
}
