/// The parts of a URI exactly as they are written (RFC 3986, appendix B); `URL` rewrites what must be compared
/// unchanged.
package struct URIReference: Sendable, Hashable {
    package var scheme: Substring?
    package var user: Substring?
    package var host: Substring?
    package var port: Substring?
    package var path: Substring
    package var query: Substring?
    package var fragment: Substring?

    // By bytes: the separators are ASCII, and by characters this takes eight times as long.
    package init(_ text: some StringProtocol) {
        var rest = Substring(text)
        fragment = rest.cut(after: UInt8(ascii: "#"))
        query = rest.cut(after: UInt8(ascii: "?"))
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            var hostAndPort = rest[..<end]
            rest = rest[end...]
            if let at = hostAndPort.utf8.lastIndex(of: UInt8(ascii: "@")) {
                user = hostAndPort[..<at]
                hostAndPort = hostAndPort[hostAndPort.utf8.index(after: at)...]
            }
            let afterLiteral = hostAndPort.utf8.lastIndex(of: UInt8(ascii: "]")) ?? hostAndPort.startIndex
            if let colon = hostAndPort.utf8[afterLiteral...].lastIndex(of: UInt8(ascii: ":")) {
                port = hostAndPort[hostAndPort.utf8.index(after: colon)...]
                hostAndPort = hostAndPort[..<colon]
            }
            host = hostAndPort
        }
        path = rest
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.allSatisfy { $0.isAlphanumeric || "+-.".utf8.contains($0) }
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

extension Substring {
    /// Removes the first such byte and the rest after it, and returns that rest; nil when there is none.
    fileprivate mutating func cut(after separator: UInt8) -> Substring? {
        guard let place = utf8.firstIndex(of: separator) else { return nil }
        defer { self = self[..<place] }
        return self[utf8.index(after: place)...]
    }
}

extension URIReference {
    /// Scheme, host and port in lower case, the default port left out (RFC 6454, section 6.2).
    package var origin: String {
        let scheme = (scheme ?? "").lowercased()
        let isDefault = port?.isEmpty ?? true || port == (scheme == "https" ? "443" : "80")
        return "\(scheme)://\((host ?? "").lowercased())" + (isDefault ? "" : ":\(port ?? "")")
    }

    /// Whether the host has only the characters of names and addresses: ASCII letters, digits, `-`, `.`, `_`, and, in
    /// brackets, hexadecimal digits, `:` and `.`.
    ///
    /// A check and a connection may read other characters differently: libcurl takes `127.0.0.%31` for 127.0.0.1.
    package var hasPlainHost: Bool {
        guard let host, !host.isEmpty else { return false }
        guard host.utf8.first == UInt8(ascii: "[") else {
            return host.utf8.allSatisfy { $0.isAlphanumeric || "-._".utf8.contains($0) }
        }
        return host.utf8.last == UInt8(ascii: "]")
            && host.utf8.dropFirst().dropLast().allSatisfy { $0.hexValue != nil || ":.".utf8.contains($0) }
    }

    /// Whether the host reaches this machine, however it is written: for refusing, where `isLoopback` is for allowing.
    ///
    /// A name that only the resolver maps to this machine cannot be recognised from the text.
    package var reachesThisMachine: Bool { host.map { InternetAddress.isThisMachine($0) } ?? false }
}
