extension JSONWebKey {
    /// The key's thumbprint (RFC 7638): the digest of the members that make the key, and of no others.
    ///
    /// A private key has its public part's thumbprint. That of a symmetric key (section 7) is to be kept as secret as
    /// the key. Throws ``JOSEError`` with `backendUnavailable` when the platform's library is missing.
    package func thumbprint(_ function: SHA2.Function = .sha256) throws(JOSEError) -> [UInt8] {
        try SHA2.digest(function, of: JSONValue.object(requiredMembers).serialized())
    }

    /// The thumbprint in base64url, as `jkt` (RFC 9449, section 6.1) and many a `kid` have it.
    ///
    /// Throws ``JOSEError`` with `backendUnavailable` when the platform's library is missing.
    package func thumbprintText(_ function: SHA2.Function = .sha256) throws(JOSEError) -> String {
        Base64URL.encode(try thumbprint(function))
    }

    /// The members that RFC 7638, section 3.2, asks for; RFC 8037, section 2, for `OKP`.
    private var requiredMembers: [String: JSONValue] {
        let names: Set = ["kty", "n", "e", "crv", "x", "y", "k"]
        let source = if case .symmetric = material { privateJSON } else { json }
        return (source.objectValue ?? [:]).filter { names.contains($0.key) }
    }
}
