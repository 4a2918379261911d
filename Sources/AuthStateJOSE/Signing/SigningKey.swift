/// A private or symmetric key that signs with one algorithm; its descriptions show no key material.
public struct SigningKey: Sendable, Redacted {
    /// The algorithm it signs with.
    public let algorithm: SignatureAlgorithm
    /// The whole key, private numbers included: for archives that are themselves protected.
    public let privateKey: JSONWebKey
    private let signer: any SignatureSigner

    /// The key without its private part, with its `kid`.
    public var publicKey: JSONWebKey { privateKey.publicKey }
    /// `kid`, which tokens signed with this key carry in their header.
    public var keyID: String? { privateKey.keyID }

    /// Imports a key; without an algorithm the key's own, else the usual one of its type (RS256, ES256, EdDSA, HS256).
    ///
    /// Throws ``JOSEError``: `unsupportedAlgorithm`, `keyMismatch` when the key is not private or not for the algorithm,
    /// `malformed` when the platform cannot import it, `backendUnavailable`.
    ///
    /// - Parameters:
    ///   - key: The private or symmetric key.
    ///   - algorithm: The algorithm to sign with; nil takes the key's own, else the usual one of its type.
    ///   - backend: The library that imports the key and signs.
    public init(
        _ key: JSONWebKey, algorithm: SignatureAlgorithm? = nil, backend: any CryptoBackend = Cryptography.backend
    ) throws(JOSEError) {
        let algorithm = algorithm ?? key.algorithms[0]
        let scheme = try algorithm.requiredScheme()
        guard key.isPrivate, key.fits(scheme, for: .sign) else {
            throw JOSEError(
                .keyMismatch, "the key cannot sign with this algorithm", expected: algorithm.rawValue,
                received: key.description)
        }
        if case .hmac(let function) = scheme, case .symmetric(let secret) = key.material {
            signer = HMACSignature(function: function, key: secret, backend: backend)
        } else {
            signer = try backend.signer(scheme, key: key)
        }
        self.algorithm = algorithm
        self.privateKey = key
    }

    /// Imports the first private key of a PEM text (RFC 7468): PKCS #8, PKCS #1 or SEC 1, not encrypted.
    ///
    /// Throws ``JOSEError`` like the other initialiser, and `malformed` when there is no such key in the text.
    ///
    /// - Parameters:
    ///   - pem: The PEM text; only its first private key is read.
    ///   - algorithm: The algorithm to sign with; nil takes the usual one of the key's type.
    ///   - keyID: `kid`, which tokens signed with this key carry in their header; nil leaves it out.
    ///   - backend: The library that imports the key and signs.
    public init(
        pem: String, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil,
        backend: any CryptoBackend = Cryptography.backend
    ) throws(JOSEError) {
        guard let der = PEM.privateKey(in: pem) else {
            throw JOSEError(.malformed, "the PEM text holds no private key, or an encrypted one")
        }
        var key = try backend.privateKey(der: der)
        key.keyID = keyID
        try self.init(key, algorithm: algorithm, backend: backend)
    }

    /// Generates a key for an algorithm; RSA keys have 2048 bits, symmetric ones the digest's length.
    ///
    /// Throws ``JOSEError``: `unsupportedAlgorithm`, `backendUnavailable`.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm that the key is for.
    ///   - keyID: `kid`, which tokens signed with this key carry in their header; nil leaves it out.
    ///   - backend: The library that generates the key and signs.
    public static func generate(
        _ algorithm: SignatureAlgorithm, keyID: String? = nil, backend: any CryptoBackend = Cryptography.backend
    ) throws(JOSEError) -> SigningKey {
        let scheme = try algorithm.requiredScheme()
        var key: JSONWebKey
        if case .hmac(let function) = scheme {
            key = JSONWebKey(secret: SecureRandom.bytes(function.digestLength))
        } else {
            key = try backend.generateKey(for: scheme)
        }
        key.keyID = keyID
        key.use = "sig"
        key.algorithm = algorithm.rawValue
        return try SigningKey(key, backend: backend)
    }

    /// The signature of a message, in JOSE's form: R and S side by side for ECDSA (RFC 7518, section 3.4).
    ///
    /// Throws ``JOSEError`` with `backendUnavailable` when the platform's library fails.
    public func sign(_ message: some Collection<UInt8>) throws(JOSEError) -> [UInt8] { try signer.sign(Array(message)) }

    /// The algorithm and the identifier.
    public var description: String { "SigningKey(alg: \(algorithm.rawValue), kid: \(keyID ?? "none"))" }
}
