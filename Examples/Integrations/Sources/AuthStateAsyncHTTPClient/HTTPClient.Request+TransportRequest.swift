import AsyncHTTPClient
import AuthStateKit
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPClient.Request {
    /// A request in the client's form; the client itself checks header fields and framing.
    ///
    /// - Throws: `TransportError` with `.invalidRequest`, `HTTPClientError`.
    init(_ request: TransportRequest) throws {
        guard ["http", "https"].contains(request.url.scheme?.lowercased()) else {
            throw Self.refusal("Only http and https URLs can be requested.")
        }
        guard request.url.user == nil, request.url.password == nil else {
            throw Self.refusal("The URL holds a user name: send credentials in the Authorization header.")
        }
        let method = request.method.rawValue
        guard !method.isEmpty, method.utf8.allSatisfy({ $0.isLetter || $0 == 0x2D }) else {
            throw Self.refusal("The method is not a word.")
        }
        guard request.method != .head || request.body?.isEmpty ?? true else {
            throw Self.refusal("A HEAD request cannot have a body.")
        }
        var headers = HTTPHeaders()
        for field in request.headers where !field.name.elementsEqual("Expect", by: Self.isSame) {
            headers.add(name: field.name, value: field.value)
        }
        try self.init(
            url: request.url, method: HTTPMethod(rawValue: method), headers: headers,
            body: request.body.map(HTTPClient.Body.data))
    }

    private static func refusal(_ message: String) -> TransportError {
        TransportError(.invalidRequest, message, requestMayHaveBeenSent: false)
    }

    private static func isSame(_ a: Character, _ b: Character) -> Bool { a.lowercased() == b.lowercased() }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
