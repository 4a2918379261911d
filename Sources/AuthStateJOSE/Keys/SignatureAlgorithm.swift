/// The name of a signature algorithm, the `alg` of a JOSE header (RFC 7518, section 3.1; RFC 8037; RFC 9864).
public struct SignatureAlgorithm: RawRepresentable, Sendable, Hashable, Codable {
    /// The registered name, for example `RS256`.
    public let rawValue: String

    /// Makes an algorithm of its registered name, whether or not it is implemented.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256 = SignatureAlgorithm(rawValue: "RS256")
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    public static let rs384 = SignatureAlgorithm(rawValue: "RS384")
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    public static let rs512 = SignatureAlgorithm(rawValue: "RS512")
    /// RSASSA-PSS with SHA-256.
    public static let ps256 = SignatureAlgorithm(rawValue: "PS256")
    /// RSASSA-PSS with SHA-384.
    public static let ps384 = SignatureAlgorithm(rawValue: "PS384")
    /// RSASSA-PSS with SHA-512.
    public static let ps512 = SignatureAlgorithm(rawValue: "PS512")
    /// ECDSA on P-256 with SHA-256.
    public static let es256 = SignatureAlgorithm(rawValue: "ES256")
    /// ECDSA on P-384 with SHA-384.
    public static let es384 = SignatureAlgorithm(rawValue: "ES384")
    /// ECDSA on P-521 with SHA-512.
    public static let es512 = SignatureAlgorithm(rawValue: "ES512")
    /// EdDSA (RFC 8037), here on Ed25519 only.
    public static let edDSA = SignatureAlgorithm(rawValue: "EdDSA")
    /// EdDSA on Ed25519 under its fully specified name (RFC 9864).
    public static let ed25519 = SignatureAlgorithm(rawValue: "Ed25519")
    /// HMAC with SHA-256.
    public static let hs256 = SignatureAlgorithm(rawValue: "HS256")
    /// HMAC with SHA-384.
    public static let hs384 = SignatureAlgorithm(rawValue: "HS384")
    /// HMAC with SHA-512.
    public static let hs512 = SignatureAlgorithm(rawValue: "HS512")
    /// No signature (RFC 7518, section 3.6): such a token can be read but is never verified.
    public static let unsecured = SignatureAlgorithm(rawValue: "none")

    /// The scheme that the name stands for; nil for `none` and for names that are unknown here.
    public var scheme: SignatureScheme? {
        switch rawValue {
        case "RS256": .rsaPKCS1(.sha256)
        case "ES256": .ecdsa(.p256, .sha256)
        case "EdDSA", "Ed25519": .ed25519
        case "PS256": .rsaPSS(.sha256)
        case "RS384": .rsaPKCS1(.sha384)
        case "RS512": .rsaPKCS1(.sha512)
        case "PS384": .rsaPSS(.sha384)
        case "PS512": .rsaPSS(.sha512)
        case "ES384": .ecdsa(.p384, .sha384)
        case "ES512": .ecdsa(.p521, .sha512)
        case "HS256": .hmac(.sha256)
        case "HS384": .hmac(.sha384)
        case "HS512": .hmac(.sha512)
        default: nil
        }
    }

    /// The scheme that the name stands for; throws `unsupportedAlgorithm` for names that are unknown here.
    func requiredScheme() throws(JOSEError) -> SignatureScheme {
        guard let scheme else { throw JOSEError(.unsupportedAlgorithm, "the algorithm is unknown", received: rawValue) }
        return scheme
    }
}

/// The scheme that an algorithm's name stands for.
public enum SignatureScheme: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 (RFC 7518, section 3.3).
    case rsaPKCS1(SHA2.Function)
    /// RSASSA-PSS with a salt as long as the digest (RFC 7518, section 3.5).
    case rsaPSS(SHA2.Function)
    /// ECDSA (RFC 7518, section 3.4): signatures are R and S, each of the curve's coordinate length.
    case ecdsa(EllipticCurve, SHA2.Function)
    /// Ed25519 (RFC 8037, section 3.1).
    case ed25519
    /// HMAC (RFC 7518, section 3.2).
    case hmac(SHA2.Function)

    /// The function that makes the digest which is signed; nil when the scheme takes messages whole.
    package var hashFunction: SHA2.Function? {
        switch self {
        case .rsaPKCS1(let function), .rsaPSS(let function), .ecdsa(_, let function), .hmac(let function): function
        case .ed25519: nil
        }
    }

    /// The length of every signature in JOSE's form, in bytes.
    func signatureLength(with material: KeyMaterial) -> Int? {
        switch self {
        case .rsaPKCS1, .rsaPSS:
            if case .rsa(let modulus, _) = material { modulus.count } else { nil }
        case .ecdsa(let curve, _): 2 * curve.coordinateLength
        case .ed25519: 64
        case .hmac(let function): function.digestLength
        }
    }
}
