/// The numbers of a key, decoded: the public ones, and for a symmetric key the secret.
public enum KeyMaterial: Sendable, Hashable {
    /// RSA (RFC 7518, section 6.3): big-endian, without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// An elliptic curve (RFC 7518, section 6.2): coordinates of the curve's full length.
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    /// Ed25519 (RFC 8037, section 2), 32 bytes.
    case ed25519(x: [UInt8])
    /// Symmetric (RFC 7518, section 6.4).
    case symmetric(SecretBytes)

    package var keyType: String {
        switch self {
        case .rsa: "RSA"
        case .ellipticCurve: "EC"
        case .ed25519: "OKP"
        case .symmetric: "oct"
        }
    }
}

/// The numbers of a key that only its owner knows.
public enum PrivateKeyMaterial: Sendable, Hashable {
    /// RSA with two primes (RFC 7518, section 6.3.2): `d`, `p`, `q`, `dp`, `dq`, `qi`.
    case rsa(d: SecretBytes, p: SecretBytes, q: SecretBytes, dp: SecretBytes, dq: SecretBytes, qi: SecretBytes)
    /// The member `d` of an elliptic curve's key, of the curve's full length, or of an Ed25519 key.
    case scalar(SecretBytes)
}
