public import AuthStateJOSE

/// The rules for a client's ID tokens, beyond those for every ID token; kept with the provider's endpoints.
public struct IDTokenPolicy: Sendable, Hashable {
    /// Algorithms that may have signed them (`id_token_signed_response_alg` of the client's registration).
    ///
    /// Those with a shared secret are keyed by the client's (OpenID Connect Core, section 10.1): name one only when the
    /// client is registered for it. With `.unsecured` a token without signature is accepted from the token endpoint,
    /// not from the browser (section 3.1.3.7, 6).
    public var algorithms: Set<SignatureAlgorithm> = .asymmetric
    /// Whether the connection to the token endpoint is proof enough when the provider publishes no keys (section
    /// 3.1.3.7, 6).
    ///
    /// Tokens accepted in this way are marked, see ``IDTokenTrust``.
    public var trustsTLS = false
    /// How far the provider's clock may be off.
    public var leeway: Duration = .seconds(60)
    /// How old a token may be at login; not applied on renewal.
    public var maximumAge: Duration = .seconds(600)
    /// Authentication context classes, one of which `acr` must be; empty leaves it open.
    ///
    /// Those that a request makes essential with its `claims` parameter (section 5.5.1.1) are required besides.
    public var contextClasses: Set<String> = []
    /// Audiences that may stand beside the client in `aud` (section 3.1.3.7, 3); nil allows any when `azp` is the client.
    public var trustedAudiences: Set<String>?
    /// Whether an ID token that comes with an access token must have `at_hash`, which the code flow leaves optional.
    public var requiresAccessTokenHash = false

    /// The algorithms of the client's registration: RS256, the default, where the policy names none.
    package var registeredAlgorithms: Set<SignatureAlgorithm> { algorithms == .asymmetric ? [.rs256] : algorithms }

    /// Makes the default policy.
    public init() {}
}

/// The proof by which an ID token was accepted.
public enum IDTokenTrust: String, Sendable, Hashable, Codable {
    /// Its signature was verified.
    case signature
    /// It came over TLS from the token endpoint, which the policy accepts.
    case tls
}

extension IDTokenPolicy: Codable {
    private enum CodingKeys: String, CodingKey {
        case algorithms, trustsTLS, leeway, maximumAge, contextClasses, trustedAudiences, requiresAccessTokenHash
    }

    /// Decodes a policy; absent members have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<T: Decodable>(_ key: CodingKeys, _ preset: T) throws -> T {
            try container.decodeIfPresent(T.self, forKey: key) ?? preset
        }
        algorithms = try value(.algorithms, algorithms)
        trustsTLS = try value(.trustsTLS, trustsTLS)
        leeway = Duration(boundedSeconds: try value(.leeway, leeway.inSeconds))
        maximumAge = Duration(boundedSeconds: try value(.maximumAge, maximumAge.inSeconds))
        contextClasses = try value(.contextClasses, contextClasses)
        trustedAudiences = try container.decodeIfPresent(Set<String>.self, forKey: .trustedAudiences)
        requiresAccessTokenHash = try value(.requiresAccessTokenHash, requiresAccessTokenHash)
    }

    /// Encodes the policy, with times in seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(algorithms, forKey: .algorithms)
        try container.encode(trustsTLS, forKey: .trustsTLS)
        try container.encode(leeway.inSeconds, forKey: .leeway)
        try container.encode(maximumAge.inSeconds, forKey: .maximumAge)
        try container.encode(contextClasses, forKey: .contextClasses)
        try container.encodeIfPresent(trustedAudiences, forKey: .trustedAudiences)
        try container.encode(requiresAccessTokenHash, forKey: .requiresAccessTokenHash)
    }
}

extension Set<SignatureAlgorithm> {
    /// Every algorithm whose key the provider publishes; `none` and shared secrets are not among them.
    public static let asymmetric: Set = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA, .ed25519,
    ]

    /// Whether any of them needs a key that the provider publishes.
    package var needPublishedKeys: Bool { !isDisjoint(with: Self.asymmetric) }
    /// Whether any of them is keyed by the client's secret.
    package var needSharedSecret: Bool { contains { $0.isSymmetric } }
}

extension SignatureAlgorithm {
    package var isSymmetric: Bool { if case .hmac? = scheme { true } else { false } }
}
