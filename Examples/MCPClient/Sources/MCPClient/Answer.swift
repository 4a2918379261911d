public import AuthStateKit

/// The answer to one request: a JSON object, or the last of the messages in an event stream.
struct Answer {
    let result: JSONValue

    /// Reads an HTTP response.
    init(_ response: TransportResponse, to id: Int64) throws {
        let isSuccess = (200..<300).contains(response.status)
        switch response.mediaType {
        case "text/event-stream" where isSuccess:
            var parser = EventStreamParser()
            // Notifications come before the answer; this client has declared nothing that the server could ask it for.
            let answers = parser.read(response.body).lazy.compactMap {
                (try? JSONValue(parsing: $0.bytes)) ?? (try? JSONValue(parsing: $0.data.utf8))
            }
            .filter { $0["id"]?.intValue == id && ($0["result"] != nil || $0["error"] != nil) }
            guard let message = answers.first else { throw MCPError.malformedAnswer("a stream without an answer") }
            result = try Self.result(of: message)
        case "application/json":
            guard let message = try? JSONValue(parsing: response.body) else { fallthrough }
            // An error may lack the request's id: it can concern a request that was not read.
            if let error = message["error"].flatMap(JSONRPCError.init) { throw error }
            guard isSuccess else { throw MCPError.status(response.status) }
            guard message["id"]?.intValue == id else { throw MCPError.malformedAnswer("an answer to another request") }
            result = try Self.result(of: message)
        default:
            guard !isSuccess else { throw MCPError.malformedAnswer(response.mediaType ?? "no content type") }
            throw MCPError.status(response.status)
        }
    }

    private static func result(of message: JSONValue) throws -> JSONValue {
        if let error = message["error"].flatMap(JSONRPCError.init) { throw error }
        guard let result = message["result"], result.objectValue != nil else {
            throw MCPError.malformedAnswer("neither a result nor an error")
        }
        return result
    }
}

extension TransportResponse {
    /// Whether an answer to a message of a session says that the server does not have the session, and so has done nothing: 404
    /// (MCP, Session Management), or 400 with a text about the session, as several SDKs have said it.
    public var tellsOfLostSession: Bool {
        if status == 404 { return true }
        guard status == 400, String(decoding: body.prefix(1000), as: UTF8.self).lowercased().contains("session") else {
            return false
        }
        let error = (try? JSONValue(parsing: body))?["error"].flatMap(JSONRPCError.init)
        return error.map { [.invalidRequest, .init(rawValue: -32000), .init(rawValue: -32001)].contains($0.code) }
            ?? true
    }
}
