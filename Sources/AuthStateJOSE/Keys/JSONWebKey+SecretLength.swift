extension JSONWebKey {
    /// Refuses a client's secret that is shorter than the hash it is used with (RFC 7518, section 3.2).
    ///
    /// An attacker who sees one signature can try secrets as fast as a machine can hash, and finds a short one.
    ///
    /// - Parameter isTolerated: Whether `Tolerance.shortSecret` accepts it.
    /// - Throws: `JOSEError` with `keyMismatch`; other keys, and other algorithms, are not checked.
    package func checkLength(for algorithm: SignatureAlgorithm, isTolerated: Bool) throws(JOSEError) {
        guard case .symmetric(let secret) = material, case .hmac(let function)? = algorithm.scheme else { return }
        let minimum = function.digestLength
        guard TrustCheck.shortSecret.holds(isTolerated || secret.bytes.count >= minimum) else {
            throw JOSEError(
                .keyMismatch, "the client's secret is shorter than the hash of \(algorithm.rawValue)",
                expected: "at least \(minimum) bytes", received: "fewer")
        }
    }
}
