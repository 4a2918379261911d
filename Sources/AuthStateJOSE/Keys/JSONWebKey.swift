/// A JSON Web Key (RFC 7517): public, private or symmetric; its descriptions show no key material.
public struct JSONWebKey: Sendable, Hashable, Redacted {
    /// The public numbers, or the symmetric secret.
    public let material: KeyMaterial
    /// The private numbers, when this key can sign.
    public let privateMaterial: PrivateKeyMaterial?
    /// `kid` (section 4.5).
    public var keyID: String?
    /// `use` (section 4.2): `sig` or `enc`.
    public var use: String?
    /// `key_ops` (section 4.3).
    public var keyOperations: [String]?
    /// `alg` (section 4.4): the only algorithm that the key is meant for.
    public var algorithm: String?
    /// `issuer`, no member of RFC 7517: whose tokens the key signs, where a provider publishes the keys of several. Empty
    /// for one that is no text.
    package var issuer: String?

    /// Makes a key of its numbers, unchecked: `init(json:)` checks a key from outside.
    public init(
        _ material: KeyMaterial, privateMaterial: PrivateKeyMaterial? = nil, keyID: String? = nil, use: String? = nil,
        keyOperations: [String]? = nil, algorithm: String? = nil
    ) {
        self.material = material
        self.privateMaterial = privateMaterial
        self.keyID = keyID
        self.use = use
        self.keyOperations = keyOperations
        self.algorithm = algorithm
    }

    /// Makes a symmetric key, for HMAC with a client secret (OpenID Connect Core, section 10.1).
    package init(secret: some Collection<UInt8>) { self.init(.symmetric(SecretBytes(secret))) }

    /// `kty` (section 4.1).
    public var keyType: String { material.keyType }
    package var isPrivate: Bool { if case .symmetric = material { true } else { privateMaterial != nil } }

    /// The key without its private numbers and without the operations that need them; a symmetric key has no public part.
    public var publicKey: JSONWebKey {
        var key = JSONWebKey(material, keyID: keyID, use: use, algorithm: algorithm)
        key.issuer = issuer
        return key
    }

    /// The type, the identifier and the intended use; no key material.
    public var description: String {
        "JSONWebKey(kty: \(keyType), kid: \((keyID ?? "none").shown), alg: \((algorithm ?? "any").shown), "
            + "use: \((use ?? "any").shown), private: \(isPrivate))"
    }
}
