/// An operation that a key may be used for: the values of `key_ops` (RFC 7517, section 4.3) that matter here.
enum KeyOperation: String {
    case sign
    case verify
}

extension JSONWebKey {
    /// Whether the key's type and curve, its `alg`, `use` and `key_ops` allow the operation with the algorithm.
    func fits(_ scheme: SignatureScheme, for operation: KeyOperation) -> Bool {
        let own = algorithm.map { SignatureAlgorithm(rawValue: $0).scheme } ?? scheme
        return TrustCheck.keyType.holds(hasMaterial(for: scheme))
            && TrustCheck.keyAlgorithm.holds(own == scheme)
            && TrustCheck.keyUse.holds(use.map { $0 == "sig" } ?? true)
            && TrustCheck.keyOperations.holds(keyOperations?.contains(operation.rawValue) ?? true)
    }

    func hasMaterial(for scheme: SignatureScheme) -> Bool {
        switch (scheme, material) {
        case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.ed25519, .ed25519), (.hmac, .symmetric): true
        case (.ecdsa(let wanted, _), .ellipticCurve(let curve, _, _)): wanted == curve
        default: false
        }
    }

    /// The algorithms that the key supports, the usual one first; a key that names its own has no other.
    package var algorithms: [SignatureAlgorithm] {
        if let algorithm { return [SignatureAlgorithm(rawValue: algorithm)] }
        return switch material {
        case .rsa: [.rs256, .ps256, .rs384, .ps384, .rs512, .ps512]
        case .ellipticCurve(.p256, _, _): [.es256]
        case .ellipticCurve(.p384, _, _): [.es384]
        case .ellipticCurve(.p521, _, _): [.es512]
        case .ed25519: [.edDSA, .ed25519]
        case .symmetric: [.hs256, .hs384, .hs512]
        }
    }
}

extension TrustCheck {
    /// Key: its type and curve are the algorithm's (RFC 8725, section 3.1).
    package static let keyType = TrustCheck("keyType")
    /// Key: its `alg`, if any, is the token's (RFC 7517, section 4.4).
    package static let keyAlgorithm = TrustCheck("keyAlgorithm")
    /// Key: its `use`, if any, is `sig` (RFC 7517, section 4.2).
    package static let keyUse = TrustCheck("keyUse")
    /// Key: its `key_ops`, if any, have the operation (RFC 7517, section 4.3).
    package static let keyOperations = TrustCheck("keyOperations")
    /// Key: RSA moduli have 2048 to 16384 bits (RFC 7518, section 3.3).
    package static let rsaKeyLength = TrustCheck("rsaKeyLength")
    /// Key: RSA exponents are odd, at least 3, and have at most 64 bits (RFC 8017, section 3.1).
    package static let rsaExponent = TrustCheck("rsaExponent")
    /// A client's secret is no shorter than the hash that it is used with (RFC 7518, section 3.2).
    package static let shortSecret = TrustCheck("shortSecret")
}

extension JSONWebKey {
    /// Refuses a client's secret that is shorter than the hash it is used with (RFC 7518, section 3.2).
    ///
    /// An attacker who sees one signature can try secrets as fast as a machine can hash, and finds a short one. Throws
    /// `JOSEError` with `keyMismatch`; other keys, and other algorithms, are not checked.
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
