extension JSONWebToken {
    /// Checks the signature with the key set's fitting keys, by `kid` when the token has one, else with each in turn.
    ///
    /// Only the signature: issuer, audience and times are the caller's to check. Throws ``JOSEError``:
    /// `algorithmNotAllowed` (always for `none`), `unsupportedAlgorithm`, `noMatchingKey`, `keyMismatch`, `badSignature`,
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
                header.keyID == nil ? .noMatchingKey : .keyMismatch,
                "no such key in the key set may be used with the token's algorithm",
                expected: header.algorithm.rawValue)
    }

    /// Checks the signature with one key, whatever its `kid`; throws ``JOSEError`` as for a key set.
    public func verify(with key: VerificationKey, allowed: Set<SignatureAlgorithm>) throws(JOSEError) {
        try checkAlgorithm(allowed: allowed)
        guard try isSigned(by: key) else { throw Self.badSignature }
    }

    private static let badSignature = JOSEError(.badSignature, "the token's signature is not valid")

    private func isSigned(by key: VerificationKey) throws(JOSEError) -> Bool {
        try key.isValid(signature, for: signingInput, algorithm: header.algorithm)
    }

    /// Without a signature there is nothing to verify, whichever algorithms the caller accepts: no test can turn that
    /// off.
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
