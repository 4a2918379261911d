import AuthStateFoundation
package import AuthStateJOSE
import AuthStateOAuth

/// A checked request, which a transport may put on the wire without looking again.
struct WireRequest: Sendable {
    var method: String
    var url: String
    /// The host of the URL, without a port.
    let host: String
    /// `host:port` of the URL.
    let authority: String
    var isSecure: Bool
    var headers: [TransportHeaders.Field]
    var body: Data?
    /// Whether a body is read as it is sent, in place of `body`.
    let streamsBody: Bool
    var timeout: Duration
    var maximumResponseBytes: Int
    /// Whether a proxy may carry it: not to this machine, which would show clear text to another one. Where addresses have to be
    /// checked, only by https, because the proxy resolves the name.
    var mayUseProxy: Bool
    let reachesThisMachine: Bool
    /// The addresses that a connection may be opened to.
    var addressPolicy: AddressPolicy

    /// The framing of the message is the transport's own: it sets these itself.
    private static let framing = ["Content-Length", "Transfer-Encoding", "Expect"]

    /// Checks a request; throws `TransportError` with `.invalidRequest`.
    init(_ request: TransportRequest, streamsBody: Bool = false) throws {
        url = request.url.absoluteString
        let reference = URIReference(url)
        isSecure = reference.hasScheme("https")
        guard isSecure || reference.hasScheme("http") else {
            throw Self.refusal("Only http and https URLs can be requested.")
        }
        guard reference.hasPlainHost, url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw Self.refusal(
                "The URL has no host, one that is not plainly written, or holds a space or a control character.")
        }
        guard reference.user == nil else {
            throw Self.refusal("The URL holds a user name: send credentials in the Authorization header.")
        }
        host = String(reference.host ?? "")
        authority = "\(host):\(reference.port.flatMap { $0.isEmpty ? nil : $0 } ?? (isSecure ? "443" : "80"))"

        method = request.method.rawValue
        guard method.utf8.isToken else { throw Self.refusal("The method is not an HTTP token.") }
        headers = request.headers.filter { field in
            !Self.framing.contains { field.name.equalsIgnoringASCIICase($0) }
        }
        for field in headers {
            guard field.name.utf8.isToken else { throw Self.refusal("A header's name is not an HTTP token.") }
            guard field.value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
                throw Self.refusal("The header \(field.name) holds a line break or another control character.")
            }
        }
        self.streamsBody = streamsBody
        body = streamsBody ? nil : request.body
        if method == "HEAD", streamsBody || body?.isEmpty == false {
            throw Self.refusal("A HEAD request cannot have a body.")
        }
        timeout = request.timeout
        maximumResponseBytes = max(0, request.maximumResponseBytes)
        addressPolicy = TrustCheck.publicAddress.isOn ? request.addressPolicy : .any
        reachesThisMachine = reference.reachesThisMachine
        mayUseProxy = !reachesThisMachine && addressPolicy == .any
    }

    /// Whether a proxy that resolves names itself may carry it in spite of a strict policy: the host's text is allowed, and TLS
    /// ends at a server that proves its name, so that another one sees no request.
    var mayLeaveNameToProxy: Bool { isSecure && !reachesThisMachine && addressPolicy.allows(host: host) }
    var peer: String { authority.printable() }
    /// Whether it can be sent twice, and that does no more than sending it once (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        !streamsBody && ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }
    /// Whether a body, if only an empty one, is expected with the method (RFC 9110, section 8.6).
    var sendsBody: Bool { streamsBody || body != nil || ["POST", "PUT", "PATCH"].contains(method) }
    /// The timeout in whole milliseconds, rounded up, at least one: zero would mean none.
    var timeoutMilliseconds: Int { timeout.wholeMilliseconds }

    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name.equalsIgnoringASCIICase(name) } }

    private static func refusal(_ message: String) -> TransportError {
        TransportError(.invalidRequest, message, requestMayHaveBeenSent: false)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, from one to 24 days, which every timer can hold.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard self < .milliseconds(Int32.max) else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension TrustCheck {
    /// A URL that comes from outside leads to a public address (RFC 6890; RFC 9728, 7.7).
    package static let publicAddress = TrustCheck("publicAddress")
}
