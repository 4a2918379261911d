extension JSONWebToken {
    /// Checks the signature with the key set's fitting keys, by `kid` when the token has one, else with each in turn.
    ///
    /// Only the signature: issuer, audience and times are the caller's to check. Throws ``JOSEError``:
    /// `algorithmNotAllowed` (always for `none`), `unsupportedAlgorithm`, `noMatchingKey`, `badSignature`,
    /// `backendUnavailable`, and `malformed` when no fitting key can be imported.
    public func verify(with keys: JSONWebKeySet, allowed: Set<SignatureAlgorithm>) throws(JOSEError) {
        try checkAlgorithm(allowed: allowed)
        let named = keys.named(header.keyID)
        guard !named.isEmpty else {
            throw JOSEError(
                .noMatchingKey,
                "the key set has no key of the token's kid"
                    + (keys.skipped(header.keyID).map { ", only one that cannot be used: \($0)" } ?? ""),
                received: header.keyID)
        }
        let scheme = try header.algorithm.requiredScheme()
        var refusal: JOSEError?
        for candidate in named where candidate.key.fits(scheme, for: .verify) {
            do {
                if try isSigned(by: candidate) { return }
                refusal = Self.badSignature
            } catch {
                refusal = refusal ?? error
            }
        }
        throw refusal
            ?? JOSEError(
                .noMatchingKey,
                "no such key in the key set may be used with the token's algorithm",
                expected: header.algorithm.rawValue)
    }

    /// Checks the signature with one key, whatever its `kid`; throws ``JOSEError`` as for a key set.
    package func verify(with key: VerificationKey, allowed: Set<SignatureAlgorithm>) throws(JOSEError) {
        try checkAlgorithm(allowed: allowed)
        guard try isSigned(by: key) else { throw Self.badSignature }
    }

    private static let badSignature = JOSEError(.badSignature, "the token's signature is not valid")

    private func isSigned(by key: VerificationKey) throws(JOSEError) -> Bool {
        try key.isValid(signature, for: signingInput, algorithm: header.algorithm)
    }

    /// Without a signature there is nothing to verify, regardless of what the caller accepts: no test can turn that off.
    private func checkAlgorithm(allowed: Set<SignatureAlgorithm>) throws(JOSEError) {
        let algorithm = header.algorithm
        if algorithm != .unsecured { _ = try algorithm.requiredScheme() }
        guard algorithm != .unsecured, TrustCheck.allowedAlgorithm.holds(allowed.contains(algorithm)) else {
            throw JOSEError(
                .algorithmNotAllowed, "the token's algorithm is not accepted",
                expected: allowed.subtracting([.unsecured]).map(\.rawValue).sorted().joined(separator: ", "),
                received: algorithm.rawValue)
        }
    }
}

extension TrustCheck {
    /// Token: exactly three parts (RFC 7515, section 7.1).
    package static let tokenParts = TrustCheck("tokenParts")
    /// Token: `alg` is one that the caller accepts (RFC 8725, section 3.1).
    package static let allowedAlgorithm = TrustCheck("allowedAlgorithm")
}

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

    package static func sign(
        claims: JSONValue, under header: String, with key: SigningKey
    ) throws(JOSEError) -> String {
        guard case .object = claims else { throw JOSEError(.malformed, "the claims are not a JSON object") }
        let signingInput = header + "." + Base64URL.encode(claims.serialized())
        return signingInput + "." + Base64URL.encode(try key.sign(signingInput.utf8))
    }
}
