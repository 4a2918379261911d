/// A key that verifies signatures: it is imported on first use, once for each algorithm, and kept.
///
/// Importing costs several times as much as verifying, so hold on to this object. Any thread may use it at any time.
package final class VerificationKey: Sendable, Redacted {
    package let key: JSONWebKey
    private let backend: any CryptoBackend
    /// Usually one entry.
    private let verifiers = Lock<[(scheme: SignatureScheme, verifier: any SignatureVerifier)]>([])

    /// Wraps a key; nothing is imported yet.
    package init(_ key: JSONWebKey, backend: any CryptoBackend = Cryptography.backend) {
        self.key = key
        self.backend = backend
    }

    /// Whether the signature, in JOSE's form, is this key's over the message.
    ///
    /// Throws ``JOSEError``: `unsupportedAlgorithm`, `keyMismatch` when the key may not be used with the algorithm,
    /// `malformed` when the platform cannot import the key, `backendUnavailable`.
    package func isValid(
        _ signature: [UInt8], for message: [UInt8], algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> Bool {
        let scheme = try algorithm.requiredScheme()
        guard key.fits(scheme, for: .verify) else {
            throw JOSEError(
                .keyMismatch, "the key may not be used with the token's algorithm",
                expected: "a \(key.keyType) key's algorithm", received: algorithm.rawValue)
        }
        let length = scheme.signatureLength(with: key.material)
        guard TrustCheck.signatureLength.holds(signature.count == length) else { return false }
        let isValid = try verifier(for: scheme).isValid(signature, for: message)
        return TrustCheck.signature.holds(isValid)
    }

    /// Two threads may both import at first; the earlier one wins, and either result is right.
    private func verifier(for scheme: SignatureScheme) throws(JOSEError) -> any SignatureVerifier {
        let known = verifiers.withLock { verifiers in verifiers.first { $0.scheme == scheme }?.verifier }
        if let known { return known }
        let verifier: any SignatureVerifier
        if case .hmac(let function) = scheme, case .symmetric(let secret) = key.material {
            verifier = HMACSignature(function: function, key: secret, backend: backend)
        } else {
            verifier = try backend.verifier(scheme, key: key)
        }
        verifiers.withLock { $0.append((scheme, verifier)) }
        return verifier
    }

    package var description: String { "VerificationKey(\(key))" }
}

extension TrustCheck {
    /// Token: `crit` names nothing, as no extension is understood (RFC 7515, section 4.1.11).
    package static let criticalHeader = TrustCheck("criticalHeader")
    /// Token: only keys of the token's `kid` are tried (RFC 7515, section 4.1.4).
    package static let keyID = TrustCheck("keyID")
    /// Key: a symmetric key in a published set is not used, because it is not secret (RFC 7517, section 9.1).
    package static let publishedSecret = TrustCheck("publishedSecret")
    /// Key: a symmetric one is not empty (RFC 7518, section 3.2).
    package static let emptySecret = TrustCheck("emptySecret")
    /// Signature: its length is the key's (RFC 7518, sections 3.2 to 3.5; RFC 8037, section 3.1).
    package static let signatureLength = TrustCheck("signatureLength")
    /// Signature: it is the key's over the content (RFC 7515, section 5.2).
    package static let signature = TrustCheck("signature")
}
