/// A redirect URI as the exact string that was registered (RFC 6749, section 3.1.2).
public struct RedirectURI: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The exact string.
    public let rawValue: String

    /// Checks a redirect URI: absolute, printable ASCII, without a fragment; throws `AuthStateError` with
    /// `.invalidRedirectURI`.
    public init(_ string: String) throws {
        let parts = URIReference(string)
        guard string.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), parts.scheme != nil,
            parts.host?.isEmpty != true || !parts.path.isEmpty
        else { throw Self.refusal("The redirect URI must be absolute and in printable ASCII.", string) }
        guard parts.fragment == nil else { throw Self.refusal("A redirect URI must not have a fragment.", string) }
        if let port = parts.port, !port.isEmpty,
            UInt16(port) == nil || !port.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        {
            throw Self.refusal("The redirect URI's port is not a number from 0 to 65535.", string)
        }
        rawValue = string
    }

    private static func refusal(_ message: String, _ received: String) -> AuthStateError {
        AuthStateError(
            .invalidRedirectURI, stage: .authorization, message,
            expected:
                "a URI such as http://127.0.0.1:0/callback, https://app.example/callback or com.example.app:/callback",
            received: received)
    }

    /// Decodes the string and checks it again.
    public init(from decoder: any Decoder) throws { try self.init(decoder.singleValueContainer().decode(String.self)) }

    /// Encodes the exact string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The exact string.
    public var description: String { rawValue }
    /// Whether the host is a loopback literal or `localhost` and the scheme http (RFC 8252, section 7.3).
    public var isLoopback: Bool { parts.isLoopback && parts.hasScheme("http") }
    /// The port as written; nil when there is none.
    public var port: UInt16? { parts.port.flatMap { UInt16($0) } }
    /// The path as written, without the query.
    public var path: String { String(parts.path) }

    package var parts: URIReference { URIReference(rawValue) }

    /// The same URI with another port; one without an authority is returned as it is.
    public func withPort(_ port: UInt16) -> RedirectURI {
        let parts = parts
        guard let host = parts.host, let scheme = parts.scheme else { return self }
        let user = parts.user.map { "\($0)@" } ?? ""
        let query = parts.query.map { "?\($0)" } ?? ""
        return RedirectURI(unchecked: "\(scheme)://\(user)\(host):\(port)\(parts.path)\(query)")
    }

    private init(unchecked: String) { rawValue = unchecked }

    /// Whether a callback arrived at this URI: scheme without regard to case, user, host, port and path exactly.
    ///
    /// The query is not compared: it carries the answer, beside the pairs of `keepsQuery(in:)`. An empty path is `/` in http
    /// and https, and browsers write it so (RFC 3986, section 6.2.3).
    public func matches(_ callback: String) -> Bool {
        let (mine, theirs) = (parts, URIReference(callback))
        guard let scheme = mine.scheme, theirs.hasScheme(String(scheme)) else { return false }
        return mine.user == theirs.user && mine.host == theirs.host && mine.port == theirs.port
            && mine.normalPath == theirs.normalPath
    }

    /// Whether this URI's own query came back in a callback: under each of its names the same values, and no others.
    ///
    /// Two logins whose redirect URIs differ in the query alone are told apart by it.
    package func keepsQuery(in callback: String) -> Bool {
        guard let mine = parts.query, !mine.isEmpty else { return true }
        let theirs = URIReference(callback).query ?? ""
        guard let own = Parameters(decoding: mine), let received = Parameters(decoding: theirs) else {
            return theirs == mine || theirs.hasPrefix("\(mine)&")
        }
        return own.names.allSatisfy { name in
            own.values(name).elementsEqual(received.values(name)) { $0.isExactly($1) }
        }
    }
}

extension URIReference {
    fileprivate var normalPath: Substring { path.isEmpty && (hasScheme("http") || hasScheme("https")) ? "/" : path }
}
