package import AuthStateFoundation
public import AuthStateJOSE

/// An assertion that a service signs anew for each request, to get a token without a user (RFC 7523, 2.1 and 3).
///
/// Service accounts work this way. The key is referred to and never archived, unless it is in memory: a state restored
/// elsewhere then needs the grant again.
public struct JWTBearerGrant: Sendable, Hashable, Codable, Redacted {
    /// `iss`: the service account.
    public var issuer: String
    /// `sub`: the subject of the token; the RFC requires one, nil leaves it out for providers that want none.
    public var subject: String?
    /// `aud`; nil takes the issuer, or the token endpoint without one or by the tolerance `.endpointAudience`.
    public var audience: String?
    /// How long an assertion can be used, in seconds; many providers accept an hour at most.
    public var lifetime: Int
    /// Further claims, for example Google's `scope`.
    public var additionalClaims: [String: JSONValue]
    /// Where the private key is, see `ClientCredential.privateKey(file:keyID:signingAlgorithm:)`.
    public var key: ClientCredential
    /// The scopes to ask for.
    public var scopes: [Scope]
    /// The resources that the token shall be for, absolute URIs (RFC 8707, section 2.2).
    public var resources: [String]
    /// Additional parameters that the provider understands.
    public var additionalParameters: Parameters

    /// Makes a grant.
    public init(
        issuer: String, subject: String?, audience: String? = nil, key: ClientCredential, lifetime: Int = 300,
        additionalClaims: [String: JSONValue] = [:], scopes: [Scope] = [], resources: [String] = [],
        additionalParameters: Parameters = [:]
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.key = key
        self.lifetime = lifetime
        self.additionalClaims = additionalClaims
        self.scopes = scopes
        self.resources = resources
        self.additionalParameters = additionalParameters
    }

    /// A new assertion with a random `jti`, in its compact form.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` when an additional claim would replace one of the grant's own;
    ///   `JOSEError` when the platform's cryptographic library fails.
    package func assertion(
        for provider: ProviderConfiguration, signedWith key: SigningKey, at now: Date
    ) throws -> String {
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        var claims: [String: JSONValue] = [
            "iss": .string(issuer),
            "aud": .string(audience ?? provider.assertionAudience(at: provider.tokenEndpoint)),
            "jti": .string(Base64URL.encode(SecureRandom.bytes(16))),
            "iat": .number(JSONNumber(issuedAt)),
            "exp": .number(JSONNumber(issuedAt + Int64(min(max(lifetime, 1), 86400)))),
        ]
        claims["sub"] = subject.map { .string($0) }
        if let clash = additionalClaims.keys.sorted().first(where: { claims[$0] != nil || $0 == "sub" }) {
            throw AuthStateError(
                .invalidArgument, stage: .token, "An additional claim would replace \(clash).",
                hint: "Set the property of the grant instead.")
        }
        claims.merge(additionalClaims) { own, _ in own }
        return try JSONWebToken.sign(claims: .object(claims), with: key)
    }

    /// The service account, and where its key is; never the key.
    public var description: String { "assertion of \(issuer) for \(subject ?? "itself"), \(key)" }
}
