package import AuthStateFoundation

/// The place for which a proof is valid: a server, whose nonce it has, and one URL there.
package struct ProofPlace: Sendable {
    /// The server: scheme, host and port.
    package let origin: String
    /// `htu`: without user, query and fragment, otherwise as a server composes it from the request: scheme and host in
    /// lower case, no default port, and a path where none is written (RFC 3986, sections 6.2.2 and 6.2.3). The path
    /// stays as it is written, because it is sent that way.
    package let target: String

    package init(_ url: URL) {
        let parts = URIReference(url.absoluteString)
        origin = parts.origin
        target = origin + (parts.path.isEmpty ? "/" : parts.path)
    }
}
