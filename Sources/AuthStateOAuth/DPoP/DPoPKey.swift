public import AuthStateJOSE

/// The key that tokens are bound to (RFC 9449): a thief who has only the tokens cannot use them.
///
/// One key serves one state: it is kept and archived with it, like the tokens, unless it is in a file or an environment
/// variable, which are only referred to. A key is imported once; copies share it.
public struct DPoPKey: Sendable, Redacted, Hashable {
    /// Where the private key is.
    public enum Source: Sendable, Hashable {
        /// With the state: it is in the state's archive, as its tokens are.
        case state
        /// In the environment variable of this name.
        case environment(String)
        /// In the file at this path.
        case file(String)
    }

    let storage: Storage

    /// The values, shared by all copies.
    final class Storage: Sendable {
        let source: Source
        let algorithm: SignatureAlgorithm
        let thumbprint: String
        /// Nil for a key that is only referred to.
        let privateKey: JSONWebKey?
        /// Empty until the first signature.
        let imported: Lock<DPoPSigner?>

        init(
            _ source: Source, algorithm: SignatureAlgorithm, thumbprint: String, privateKey: JSONWebKey?,
            imported: DPoPSigner?
        ) {
            self.source = source
            self.algorithm = algorithm
            self.thumbprint = thumbprint
            self.privateKey = privateKey
            self.imported = Lock(imported)
        }
    }

    /// Where the private key is.
    public var source: Source { storage.source }
    /// How proofs are signed.
    public var algorithm: SignatureAlgorithm { storage.algorithm }
    /// The public key's thumbprint, `dpop_jkt` in a request and `jkt` in a token (sections 6.1 and 10; RFC 7638).
    public var thumbprint: String { storage.thumbprint }

    /// Takes a private key that there is already, to be kept with the state; without an algorithm the key's own signs, else
    /// the usual one of its type.
    /// - Throws: `AuthStateError` with `.credentialUnavailable` for a key that is public, symmetric, or cannot be imported.
    public init(_ key: JSONWebKey, algorithm: SignatureAlgorithm? = nil) throws {
        try self.init(key, from: .state, algorithm: algorithm)
    }

    /// Takes a key that was read from somewhere; one that is only referred to is not kept.
    package init(_ key: JSONWebKey, from source: Source, algorithm: SignatureAlgorithm?) throws {
        let signingKey = try Self.imported(key, algorithm: algorithm)
        do {
            storage = Storage(
                source, algorithm: signingKey.algorithm, thumbprint: try key.thumbprintText(),
                privateKey: source == .state ? signingKey.privateKey : nil, imported: DPoPSigner(signingKey))
        } catch { throw Self.unusable(error) }
    }

    /// A new key that is kept with the state; without an algorithm one for ES256, or for another that the provider lists.
    /// - Throws: `AuthStateError`: `.unsupported` when the provider takes others only, `.credentialUnavailable` when the
    ///   platform cannot make such a key.
    public static func generate(
        _ algorithm: SignatureAlgorithm? = nil, for provider: ProviderConfiguration? = nil
    ) throws -> DPoPKey {
        let listed = provider?.metadata?.dpopSigningAlgValuesSupported
        let algorithm =
            algorithm ?? usualAlgorithms.first { listed?.contains($0.rawValue) ?? true } ?? usualAlgorithms[0]
        try provider?.check(dpopAlgorithm: algorithm, stage: .authorization)
        do { return try DPoPKey(try SigningKey.generate(algorithm).privateKey, algorithm: algorithm) } catch {
            throw error as? AuthStateError ?? unusable(error)
        }
    }

    /// The algorithms of keys that are made here, those that cost least first.
    package static let usualAlgorithms: [SignatureAlgorithm] = [
        .es256, .edDSA, .ed25519, .es384, .es512, .ps256, .rs256,
    ]

    static func imported(_ key: JSONWebKey, algorithm: SignatureAlgorithm?) throws -> SigningKey {
        if case .symmetric = key.material {
            throw unusable(JOSEError(.keyMismatch, "a symmetric key proves nothing to others"))
        }
        // Without its names: a proof's header shows the key itself, and nothing else of it.
        let bare = JSONWebKey(key.material, privateMaterial: key.privateMaterial)
        do {
            return try SigningKey(bare, algorithm: algorithm ?? key.algorithm.map(SignatureAlgorithm.init(rawValue:)))
        } catch { throw unusable(error) }
    }

    static func unusable(_ error: any Error) -> AuthStateError {
        AuthStateError(
            .credentialUnavailable, stage: .usage, "The DPoP key cannot sign.",
            expected: "a private key of an asymmetric algorithm", hint: "Use ES256, which most providers take.",
            underlying: error)
    }

    /// Algorithm, thumbprint and place, never the key.
    public var description: String {
        let place =
            switch source {
            case .state: "kept with the state"
            case .environment(let name): "in the environment variable \(name)"
            case .file(let path): "in the file \(path)"
            }
        return "DPoP key \(thumbprint.printable(60)) for \(algorithm.rawValue.printable(20)), \(place)"
    }

    /// Whether both are the same key, found at the same place.
    public static func == (left: DPoPKey, right: DPoPKey) -> Bool {
        left.storage === right.storage
            || left.source == right.source && left.algorithm == right.algorithm && left.thumbprint == right.thumbprint
    }

    /// Hashes the public key's thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}
