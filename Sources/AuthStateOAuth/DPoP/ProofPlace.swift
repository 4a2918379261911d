#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where a proof is good: at a server, whose nonce it has, and there at one place.
package struct ProofPlace: Sendable {
    /// The server: scheme, host and port.
    package let origin: String
    /// `htu`: without user, query and fragment, and else as a server sees it that puts it together from what it was sent:
    /// scheme and host in lower case, no default port, and a path where none is written (RFC 3986, sections 6.2.2 and
    /// 6.2.3). The path stays as it is written, for so it is sent.
    package let target: String

    package init(_ url: URL) {
        let parts = URIReference(url.absoluteString)
        origin = parts.origin
        target = origin + (parts.path.isEmpty ? "/" : parts.path)
    }
}
