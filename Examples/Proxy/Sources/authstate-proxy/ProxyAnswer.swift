import AuthStateKit
import AuthStatePlatform

/// An answer for the program.
struct ProxyAnswer: Sendable {
    var status: Int
    var headers: TransportHeaders
    /// The body, or its beginning.
    var body = Data()
    /// The rest of the body, as it comes; nil for none.
    var rest: StreamedResponse?

    /// Makes an answer of the proxy's own.
    init(status: Int, headers: TransportHeaders, body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, Data(body))
        self.headers["Content-Length"] = "\(body.count)"
    }

    /// Makes the answer that passes the API's on.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - redirect: Returns a `Location` as the program has to see it.
    init(_ response: StreamedResponse, to method: String, location: (String) -> String) {
        status = response.status
        guard status != 101 else {
            headers = ProxyHeaders.upgrade(response.headers)
            return
        }
        headers = ProxyHeaders.answer(response.headers)
        if let value = headers["Location"] { headers["Location"] = location(value) }
        if method != "HEAD", status != 204, status != 304 { rest = response }
        // A length that comes beside chunks, or is that of a compressed body, is another one. An answer to HEAD has the length of
        // the same GET (RFC 9110, section 8.6).
        let lengths = response.headers[values: "Content-Length"]
        if status != 204, response.headers["Content-Encoding"] == nil, response.headers["Transfer-Encoding"] == nil,
            lengths.count == 1,
            !lengths[0].isEmpty, lengths[0].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        {
            headers["Content-Length"] = lengths[0]
        }
    }

    /// Says how the body ends: by its length, in chunks, or, for a program that does not know those, with the connection.
    ///
    /// - Returns: Whether the connection ends with it.
    mutating func frame(forChunks knowsChunks: Bool) -> Bool {
        guard rest != nil, headers["Content-Length"] == nil else { return false }
        if knowsChunks { headers["Transfer-Encoding"] = "chunked" }
        return !knowsChunks
    }
}
