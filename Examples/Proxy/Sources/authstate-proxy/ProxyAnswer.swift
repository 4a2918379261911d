import AuthStateKit
import AuthStatePlatform

/// An answer for the program, its framing included.
struct ProxyAnswer: Sendable, Equatable {
    var status: Int
    var headers: TransportHeaders
    var body: Data

    /// Makes an answer of the proxy's own.
    init(status: Int, headers: TransportHeaders, body: [UInt8]) {
        (self.status, self.headers) = (status, headers)
        self.body = Data(body)
        self.headers["Content-Length"] = "\(body.count)"
    }

    /// Makes the answer that passes the API's on.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - redirect: Returns a `Location` as the program has to see it.
    init(_ response: TransportResponse, to method: String, location: (String) -> String) {
        status = response.status
        headers = ProxyHeaders.answer(response.headers)
        if let value = headers["Location"] { headers["Location"] = location(value) }
        let hasBody = method != "HEAD" && status != 204 && status != 304
        body = hasBody ? response.body : Data()
        if hasBody {
            headers["Content-Length"] = "\(body.count)"
        } else if status != 204, response.headers["Content-Encoding"] == nil {
            // The length that the same GET has (RFC 9110, section 8.6).
            headers["Content-Length"] = response.headers["Content-Length"]
        }
    }
}
