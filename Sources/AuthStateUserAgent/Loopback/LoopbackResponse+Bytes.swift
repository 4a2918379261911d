import AuthStateOAuth

extension LoopbackResponse {
    /// Returns the answer as HTTP/1.1 sends it.
    ///
    /// - Parameters:
    ///   - omitsBody: For an answer to HEAD, which tells the length of the body it does not have.
    ///   - closes: Whether the connection ends after it.
    func bytes(omitsBody: Bool, closes: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")\r\n"
        for field in headers where !Self.isFraming(field.name) {
            text += "\(Self.singleLine(field.name)): \(Self.singleLine(field.value))\r\n"
        }
        let hasBody = !(100..<200).contains(status) && status != 204 && status != 304
        if hasBody { text += "Content-Length: \(body.count)\r\n" }
        text += "Connection: \(closes ? "close" : "keep-alive")\r\n\r\n"
        return Array(text.utf8) + (hasBody && !omitsBody ? body : [])
    }

    /// Whether the handler asked for the end of the connection.
    var asksToClose: Bool { headers[values: "Connection"].contains { $0.equalsIgnoringASCIICase("close") } }

    private static func isFraming(_ name: String) -> Bool {
        ["Content-Length", "Connection", "Transfer-Encoding"].contains { $0.equalsIgnoringASCIICase(name) }
    }

    /// Returns a text without control characters: a line break in a value would begin a header field of its own.
    private static func singleLine(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 >= 0x20 && $0 != 0x7F || $0 == .tab }, as: UTF8.self)
    }

    private static let reasons = [
        200: "OK", 201: "Created", 204: "No Content", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
        413: "Content Too Large", 415: "Unsupported Media Type", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
