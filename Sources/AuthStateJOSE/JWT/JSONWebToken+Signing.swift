extension JSONWebToken {
    /// Signs claims and returns the token's compact form (RFC 7515, section 7.1).
    ///
    /// The header has the key's `alg` and `kid` besides the given members, which cannot replace `alg`; `typ` is `JWT`
    /// unless given. Throws ``JOSEError``: `malformed` when the claims are not an object, `backendUnavailable`.
    ///
    /// - Parameters:
    ///   - claims: The claims, a JSON object.
    ///   - header: Further members of the header.
    ///   - key: The private or symmetric key that signs.
    public static func sign(
        claims: JSONValue, header: [String: JSONValue] = [:], with key: SigningKey
    ) throws(JOSEError) -> String {
        try sign(claims: claims, under: encodedHeader(header, for: key), with: key)
    }

    /// The encoded header of the tokens that this key signs: the same for each, so that it can be made once.
    package static func encodedHeader(_ header: [String: JSONValue], for key: SigningKey) -> String {
        var members: [String: JSONValue] = ["typ": "JWT"]
        members["kid"] = key.keyID.map(JSONValue.string)
        members.merge(header) { _, given in given }
        members["alg"] = .string(key.algorithm.rawValue)
        return Base64URL.encode(JSONValue.object(members).serialized())
    }

    /// Signs claims under an encoded header.
    package static func sign(
        claims: JSONValue, under header: String, with key: SigningKey
    ) throws(JOSEError) -> String {
        guard case .object = claims else { throw JOSEError(.malformed, "the claims are not a JSON object") }
        let signingInput = header + "." + Base64URL.encode(claims.serialized())
        return signingInput + "." + Base64URL.encode(try key.sign(signingInput.utf8))
    }
}
