package import AuthStateFoundation

/// The request for the issuer of a user's identifier (RFC 7033, section 4; OpenID Connect Discovery, section 2).
package struct WebFingerQuery: Sendable, Hashable {
    /// The identifier as a URI (OpenID Connect Discovery, section 2.1.2).
    package let resource: String
    /// The host that is asked, as an origin.
    package let origin: Issuer
    /// Where it is asked: over https, but for a host on this machine.
    package let url: URL

    /// The relation whose link leads to the issuer.
    package static let relation = "http://openid.net/specs/connect/1.0/issuer"

    /// Normalises an identifier that a user typed: `user@host`, `acct:user@host`, `host`, `host:port`, or an http(s)
    /// URL. Throws `AuthStateError` with `.invalidArgument`, or `.unsupported` for an XRI.
    package init(_ identifier: String) throws {
        let text = identifier.prefix { $0 != "#" }
        guard let first = text.utf8.first, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.refusal(identifier)
        }
        guard !"=@+$!(".utf8.contains(first), !text.lowercased().hasPrefix("xri:") else {
            throw AuthStateError(
                .unsupported, stage: .discovery, "The identifier is an XRI, which OpenID Connect does not discover.",
                expected: "an address such as ada@example.com, or an https URL", received: identifier)
        }
        let uri = Self.normalised(text)
        let parts = URIReference(uri)
        let place = parts.hasScheme("acct") ? URIReference("//" + Self.authority(of: parts)) : parts
        guard let host = place.host, place.hasPlainHost,
            parts.hasScheme("https") || parts.hasScheme("http")
                || parts.hasScheme("acct") && place.user?.isEmpty == false
        else { throw Self.refusal(identifier) }
        let scheme = !parts.hasScheme("https") && place.isLoopback ? "http" : "https"
        origin = try Issuer("\(scheme)://\(host)\(place.port.map { ":\($0)" } ?? "")")
        resource = place.path.isEmpty && !parts.hasScheme("acct") && parts.query == nil ? uri + "/" : uri
        let query: Parameters = ["resource": resource, "rel": Self.relation]
        guard let url = URL(string: "\(origin)/.well-known/webfinger?\(query.encoded)") else {
            throw Self.refusal(identifier)
        }
        self.url = url
    }

    /// Text without a scheme becomes an account when it is no more than user and host, else an https URL.
    private static func normalised(_ text: Substring) -> String {
        let parts = URIReference(text)
        if let scheme = parts.scheme {
            // In `host:8080` a host's name looks like a scheme.
            let rest = text[scheme.endIndex...].dropFirst()
            let port = rest.prefix { !"/?".contains($0) }
            let isPort = !port.isEmpty && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
            if !isPort { return String(text) }
        }
        let bare = URIReference("//\(text)")
        let isAccount = bare.user?.isEmpty == false && bare.port == nil && bare.path.isEmpty && bare.query == nil
        return isAccount ? "acct:\(text)" : "https://\(text)"
    }

    /// The path of an `acct` URI is its authority (RFC 7565, section 7).
    private static func authority(of account: URIReference) -> String {
        account.query == nil && !account.path.contains("/") ? String(account.path) : ""
    }

    private static func refusal(_ identifier: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .discovery, "This identifier leads to no host that could be asked for the issuer.",
            expected: "an address such as ada@example.com, a host, or an https URL, in ASCII", received: identifier)
    }
}
