public import AuthStateFoundation
package import AuthStateJOSE

/// An issuer identifier as the exact string that tokens carry (OpenID Connect Core, section 1.2; RFC 8414, section 2).
public struct Issuer: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The exact string.
    public let rawValue: String

    /// Checks an issuer: an http(s) URL with a plain host, without user, query and fragment; throws `AuthStateError`
    /// with `.invalidIssuer`.
    public init(_ string: String) throws {
        let parts = URIReference(string)
        guard parts.hasScheme("https") || parts.hasScheme("http"), parts.hasPlainHost,
            TrustCheck.issuerForm.holds(parts.user == nil && parts.query == nil && parts.fragment == nil),
            URL(string: string) != nil, string.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw AuthStateError(
                .invalidIssuer, stage: .discovery, "This is not an issuer.",
                expected: "an https URL without query and fragment, exactly as the provider's tokens carry it",
                received: string, hint: "Give the issuer with its scheme, for example https://op.example.")
        }
        rawValue = string
    }

    /// Whether a name is this issuer's, or differs by a slash at its end alone: it leads to the same server.
    ///
    /// For what a resource or a program calls a server; what a server issues has to carry the exact string.
    package func isServer(_ name: String) -> Bool {
        name.isExactly(rawValue) || name.isExactly(rawValue + "/") || rawValue.isExactly(name + "/")
    }

    /// The well-known places of an issuer's metadata (OpenID Connect Discovery, section 4; RFC 8414, section 3).
    private static let places = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

    /// Returns the name of an issuer; of the URL of its metadata, which a browser shows, the issuer that they are for.
    public static func name(of text: String) -> String {
        for place in places {
            guard let found = text.firstRange(of: place) else { continue }
            let (before, after) = (text[..<found.lowerBound], text[found.upperBound...])
            // RFC 8414 puts the place before the issuer's path.
            guard before.contains("://"), after.isEmpty || after.hasPrefix("/") else { continue }
            return String(after == "/" ? before : before + after)
        }
        return text
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
    /// Whether the host is a loopback literal or `localhost`.
    public var isLoopback: Bool { URIReference(rawValue).isLoopback }

    /// Where OpenID Connect Discovery, section 4, keeps the metadata: the well-known path after the issuer.
    package var openIDConfigurationURL: URL? {
        URL(
            string: (rawValue.hasSuffix("/") ? String(rawValue.dropLast()) : rawValue)
                + "/.well-known/openid-configuration")
    }

    /// Where RFC 8414, section 3, keeps the metadata: the well-known path between host and path.
    public var authorizationServerMetadataURL: URL? { inserting("oauth-authorization-server") }
    /// OpenID Connect's document in RFC 8414's place, between host and path (RFC 8414, section 5).
    package var insertedOpenIDConfigurationURL: URL? { inserting("openid-configuration") }

    private func inserting(_ name: String) -> URL? {
        let parts = URIReference(rawValue)
        let path = parts.path.hasSuffix("/") ? parts.path.dropLast() : parts.path
        let authority = (parts.host ?? "") + (parts.port.map { ":\($0)" } ?? "")
        return URL(string: "\(parts.scheme ?? "")://\(authority)/.well-known/\(name)\(path)")
    }
}

extension TrustCheck {
    /// An issuer has no user, query and fragment (Core 1.2; RFC 8414, 2).
    package static let issuerForm = TrustCheck("issuerForm")
}
