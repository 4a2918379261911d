import AuthStateJOSE

/// A token's claims before they are signed: those of an ID token (OpenID Connect Core, section 2), or of any other JWT.
struct UnsignedToken: Sendable {
    var claims: [String: JSONValue]
    var algorithm: SignatureAlgorithm
    /// The client's secret, for HS256.
    var secret: String?
    /// The inputs of `at_hash` and `c_hash`.
    var accessToken: String?
    var code: String?
    /// `typ` of the header.
    var type = "JWT"

    /// The compact token, with the deviations applied.
    func signed(
        keys: ProviderKeys, edit: OpenIDProvider.Deviations.TokenEdit? = nil,
        signature fault: OpenIDProvider.Deviations.Signature
    ) throws(JOSEError) -> String {
        var claims = claims
        claims["at_hash"] = try accessToken.map(leftHash)
        claims["c_hash"] = try code.map(leftHash)
        let key = try signingKey(keys, fault)
        var header: [String: JSONValue] = ["typ": .string(type), "alg": .string(key?.algorithm.rawValue ?? "none")]
        header["kid"] = key?.keyID.map { .string($0) }
        edit?(&claims, &header)
        let input = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized()) }.joined(separator: ".")
        var signature = try key?.sign(input.utf8) ?? []
        if fault == .broken, !signature.isEmpty { signature[signature.count / 2] ^= 1 }
        return "\(input).\(Base64URL.encode(signature))"
    }

    private func signingKey(
        _ keys: ProviderKeys, _ signature: OpenIDProvider.Deviations.Signature
    ) throws(JOSEError) -> SigningKey? {
        guard signature != .missing, algorithm != .unsecured else { return nil }
        guard keys.isAsymmetric(algorithm) else {
            return try SigningKey(JSONWebKey(secret: (secret ?? "").utf8), algorithm: algorithm)
        }
        let key = try keys.current(algorithm)
        return signature == .foreignKey ? try SigningKey.generate(algorithm, keyID: key.keyID) : key
    }

    /// The left half of a hash, by the digest of the algorithm (section 3.1.3.6).
    private func leftHash(_ text: String) throws(JOSEError) -> JSONValue {
        let function: SHA2.Function =
            switch algorithm.scheme {
            case .rsaPKCS1(let function), .rsaPSS(let function), .ecdsa(_, let function), .hmac(let function): function
            case .ed25519: .sha512
            case nil: .sha256
            }
        let digest = try SHA2.digest(function, of: text.utf8)
        return .string(Base64URL.encode(digest.prefix(digest.count / 2)))
    }
}
