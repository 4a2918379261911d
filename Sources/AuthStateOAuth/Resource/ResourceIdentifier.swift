public import AuthStateFoundation
import AuthStateJOSE

/// The identifier of a protected resource: the URL of an API in the form that names it to a provider (RFC 8707, section 2;
/// RFC 9728, section 1.2).
///
/// Scheme and host are in lower case, a default port is left out, and so is a path of `/` alone. A query belongs to the
/// identifier.
public struct ResourceIdentifier: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The canonical text.
    public let rawValue: String

    /// Makes the identifier of the resource at a URL; throws `AuthStateError` of stage resource with `.invalidArgument`
    /// for a URL that is not http(s), has a user or a fragment, or holds other characters than visible ASCII.
    public init(_ text: String) throws {
        let parts = URIReference(text)
        guard parts.hasScheme("https") || parts.hasScheme("http"), parts.hasPlainHost,
            TrustCheck.resourceForm.holds(parts.user == nil && parts.fragment == nil), Self.isUsable(port: parts.port),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Self.refusal(parts) }
        let path = parts.path == "/" && parts.query == nil ? "" : parts.path
        rawValue = parts.origin + path + (parts.query.map { "?\($0)" } ?? "")
        guard let url = URL(string: rawValue) else { throw Self.refusal(parts) }
        checkedURL = url
    }

    /// Returns whether a port is written in the one way that a number has.
    private static func isUsable(port: Substring?) -> Bool {
        guard let port, !port.isEmpty else { return true }
        return UInt16(port).map { $0 > 0 && "\($0)" == port } ?? false
    }

    private static func refusal(_ parts: URIReference) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .resource, "This is not the URL of a protected resource.",
            expected: "an https URL without user and fragment, such as https://api.example/v1",
            received: parts.redacted, hint: "Give the URL of the API that the program calls.")
    }

    /// Makes the identifier of the resource at a URL; throws as `init(_:)` with a text does.
    public init(_ url: URL) throws { try self.init(url.absoluteString) }

    /// Decodes the text and checks it again.
    public init(from decoder: any Decoder) throws { try self.init(decoder.singleValueContainer().decode(String.self)) }

    /// Encodes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The canonical text.
    public var description: String { rawValue }
    /// The URL of the resource.
    public var url: URL { checkedURL }
    private let checkedURL: URL

    package var parts: URIReference { URIReference(rawValue) }

    /// Scheme, host and port: access tokens go nowhere else.
    public var origin: String { parts.origin }

    /// Returns whether a URL has the origin of this resource, which alone receives its tokens.
    public func hasOrigin(of url: URL) -> Bool { URIReference(url.absoluteString).origin == origin }

    /// The addresses that the resource's metadata may be at, in the order in which they are asked: with the well-known part
    /// between host and path (RFC 9728, section 3.1), then at the root.
    package var metadataLocations: [(source: ProtectedResourceMetadata.Source, url: URL)] {
        let wellKnown = origin + "/.well-known/oauth-protected-resource"
        let own = URL(string: wellKnown + rawValue.dropFirst(origin.count)).map {
            (ProtectedResourceMetadata.Source.path, $0)
        }
        // What names the whole origin has its metadata at one place only.
        let root = rawValue == origin ? nil : URL(string: wellKnown).map { (ProtectedResourceMetadata.Source.root, $0) }
        return [own, root].compactMap(\.self)
    }
}
