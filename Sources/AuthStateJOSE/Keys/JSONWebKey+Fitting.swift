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

    /// Whether the key's type and curve are those of the scheme.
    func hasMaterial(for scheme: SignatureScheme) -> Bool {
        switch (scheme, material) {
        case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.ed25519, .ed25519), (.hmac, .symmetric): true
        case (.ecdsa(let wanted, _), .ellipticCurve(let curve, _, _)): wanted == curve
        default: false
        }
    }

    /// The algorithm that the key names, else the usual one of its type.
    var preferredAlgorithm: SignatureAlgorithm {
        if let algorithm { return SignatureAlgorithm(rawValue: algorithm) }
        return switch material {
        case .rsa: .rs256
        case .ellipticCurve(.p256, _, _): .es256
        case .ellipticCurve(.p384, _, _): .es384
        case .ellipticCurve(.p521, _, _): .es512
        case .ed25519: .edDSA
        case .symmetric: .hs256
        }
    }
}
