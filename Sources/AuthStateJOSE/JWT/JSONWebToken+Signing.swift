extension JSONWebToken {
    /// Signs claims and returns the token's compact form (RFC 7515, section 7.1).
    ///
    /// The header has the key's `alg` and `kid` besides the given members, which cannot replace `alg`; `typ` is `JWT`
    /// unless given. Throws ``JOSEError``: `malformed` when the claims are not an object, `backendUnavailable`.
    public static func sign(
        claims: JSONValue, header: [String: JSONValue] = [:], with key: SigningKey
    ) throws(JOSEError) -> String {
        guard case .object = claims else { throw JOSEError(.malformed, "the claims are not a JSON object") }
        var members: [String: JSONValue] = ["typ": "JWT"]
        members["kid"] = key.keyID.map(JSONValue.string)
        members.merge(header) { _, given in given }
        members["alg"] = .string(key.algorithm.rawValue)
        let parts = [JSONValue.object(members), claims].map { Base64URL.encode($0.serialized()) }
        let signingInput = parts.joined(separator: ".")
        return signingInput + "." + Base64URL.encode(try key.sign(signingInput.utf8))
    }
}
