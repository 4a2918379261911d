public import AuthStateFoundation
public import AuthStateJOSE

/// An HTTP answer as a value, of any status; redirects are answers too and are not followed.
public struct TransportResponse: Sendable, Hashable, Redacted {
    /// The status code.
    public var status: Int
    /// The header fields of the final answer.
    public var headers: TransportHeaders
    /// The whole body, decompressed.
    public var body: Data

    /// Makes an answer.
    public init(status: Int, headers: TransportHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The media type of `Content-Type` in lower case, without parameters; nil when none was sent.
    public var mediaType: String? {
        headers["Content-Type"].map { value in
            value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
    }

    /// Status and size: the body can hold tokens.
    public var description: String { "HTTP \(status), \(body.count) bytes" }
    /// The body as a JSON value; nil when it is none.
    package var json: JSONValue? { try? JSONValue(answer: body) }

    /// The place where the body is not JSON; nil where it is, and for an empty body.
    package var jsonFault: String? {
        guard !body.isEmpty else { return nil }
        do { _ = try JSONValue(answer: body) } catch { return "\(error)" }
        return nil
    }

    /// Whether the status is that of a success with a whole document; one that the specifications do not name for it is noted.
    package func isSuccess(_ specified: Int...) -> Bool {
        guard (200...203).contains(status) else { return false }
        if !specified.contains(status) { Leniency.otherSuccess.note("\(status)") }
        return true
    }
}
