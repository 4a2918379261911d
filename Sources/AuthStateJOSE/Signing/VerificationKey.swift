/// A key that verifies signatures: it is imported on first use, once for each algorithm, and kept.
///
/// Importing costs several times as much as verifying, so hold on to this object. Any thread may use it at any time.
public final class VerificationKey: Sendable {
    /// The key as it came.
    public let key: JSONWebKey
    private let backend: any CryptoBackend
    /// Usually one entry.
    private let verifiers = Lock<[(scheme: SignatureScheme, verifier: any SignatureVerifier)]>([])

    /// Wraps a key; nothing is imported yet.
    public init(_ key: JSONWebKey, backend: any CryptoBackend = Cryptography.backend) {
        self.key = key
        self.backend = backend
    }

    /// Whether the signature, in JOSE's form, is this key's over the message.
    ///
    /// Throws ``JOSEError``: `unsupportedAlgorithm`, `keyMismatch` when the key may not be used with the algorithm,
    /// `malformed` when the platform cannot import the key, `backendUnavailable`.
    ///
    /// - Parameters:
    ///   - signature: The signature in JOSE's form: R and S side by side for ECDSA (RFC 7518, section 3.4).
    ///   - message: The signed bytes.
    ///   - algorithm: The algorithm of the signature.
    public func isValid(
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
}

extension VerificationKey: Redacted {
    /// The key's type, identifier and intended use.
    public var description: String { "VerificationKey(\(key))" }
}
