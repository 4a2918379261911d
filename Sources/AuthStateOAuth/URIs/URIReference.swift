/// The parts of a URI exactly as they are written (RFC 3986, appendix B); `URL` rewrites what must be compared as it is.
package struct URIReference: Sendable, Hashable {
    package var scheme: Substring?
    package var user: Substring?
    package var host: Substring?
    package var port: Substring?
    package var path: Substring
    package var query: Substring?
    package var fragment: Substring?

    package init(_ text: some StringProtocol) {
        var rest = Substring(text)
        if let hash = rest.firstIndex(of: "#") {
            fragment = rest[rest.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon]
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            let authority = rest.dropFirst(2).prefix { $0 != "/" }
            rest = rest[authority.endIndex...]
            var hostAndPort = authority
            if let at = authority.lastIndex(of: "@") {
                user = authority[..<at]
                hostAndPort = authority[authority.index(after: at)...]
            }
            let afterLiteral = hostAndPort.lastIndex(of: "]") ?? hostAndPort.startIndex
            if let colon = hostAndPort[afterLiteral...].lastIndex(of: ":") {
                port = hostAndPort[hostAndPort.index(after: colon)...]
                hostAndPort = hostAndPort[..<colon]
            }
            host = hostAndPort
        }
        path = rest
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first.asciiLowercased) else { return false }
        return text.utf8.allSatisfy {
            (0x61...0x7A).contains($0.asciiLowercased) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
        }
    }

    /// Whether the host is a literal loopback address or exactly `localhost`.
    package var isLoopback: Bool {
        guard let host else { return false }
        return ["127.0.0.1", "[::1]", "localhost"].contains { host.equalsIgnoringASCIICase($0) }
    }

    package func hasScheme(_ name: String) -> Bool { scheme?.equalsIgnoringASCIICase(name) ?? false }

    /// The URI without user, query and fragment, which can carry codes and tokens.
    package var redacted: String {
        let authority = host.map { "//\($0)" + (port.map { ":\($0)" } ?? "") } ?? ""
        return "\(scheme.map { "\($0):" } ?? "")\(authority)\(path)"
    }
}
