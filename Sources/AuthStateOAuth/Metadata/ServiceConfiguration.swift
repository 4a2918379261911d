#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where a provider's endpoints are: given by hand, or read from its discovery document.
public struct ServiceConfiguration: Sendable, Hashable, Codable {
    /// The issuer; nil for a plain OAuth provider without ID tokens.
    public var issuer: Issuer?
    /// Where people log in; nil for a provider that only serves machines.
    public var authorizationEndpoint: URL?
    /// Where grants become tokens.
    public var tokenEndpoint: URL
    /// The public keys that ID tokens are verified with.
    public var jwksURI: URL?
    /// Claims about the person.
    public var userInfoEndpoint: URL?
    /// RP-initiated logout.
    public var endSessionEndpoint: URL?
    /// Dynamic client registration.
    public var registrationEndpoint: URL?
    /// Token revocation.
    public var revocationEndpoint: URL?
    /// The discovery document that all this came from.
    public var metadata: ProviderMetadata?
    /// What this provider is known to do otherwise, accepted by name.
    public var tolerances: Set<Tolerance> = []
    /// What the ID tokens of this provider have to be like.
    public var idTokenPolicy: IDTokenPolicy {
        get { ownIDTokenPolicy ?? IDTokenPolicy() }
        set { ownIDTokenPolicy = newValue == IDTokenPolicy() ? nil : newValue }
    }
    /// Optional, so that archives from before there was a policy can be read.
    private var ownIDTokenPolicy: IDTokenPolicy?

    /// Endpoints by hand.
    ///
    /// With the scope `openid`, `issuer` and `jwksURI` are needed: no ID token goes unverified.
    public init(
        issuer: Issuer? = nil,
        authorizationEndpoint: URL?,
        tokenEndpoint: URL,
        jwksURI: URL? = nil,
        userInfoEndpoint: URL? = nil,
        endSessionEndpoint: URL? = nil,
        registrationEndpoint: URL? = nil,
        revocationEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.jwksURI = jwksURI
        self.userInfoEndpoint = userInfoEndpoint
        self.endSessionEndpoint = endSessionEndpoint
        self.registrationEndpoint = registrationEndpoint
        self.revocationEndpoint = revocationEndpoint
    }

    /// Endpoints from a discovery document.
    ///
    /// - Parameter issuer: The issuer that was asked for; the document must name exactly this one.
    /// - Throws: `AuthStateError` with `.issuerMismatch`, or `.invalidMetadata` when a member that is needed is absent.
    public init(metadata: ProviderMetadata, issuer: Issuer) throws {
        guard metadata.issuer == issuer.rawValue else {
            throw AuthStateError(
                .issuerMismatch, stage: .discovery, "The discovery document belongs to another issuer.",
                expected: issuer.rawValue, received: metadata.issuer ?? "no issuer",
                hint: "Use the issuer exactly as the provider writes it, trailing slash included."
            )
        }
        for name in Self.required where metadata.document[name] == nil {
            throw AuthStateError(
                .invalidMetadata, stage: .discovery, "The provider's metadata lacks \(name).", expected: name,
                hint: "Give the endpoints by hand, or ask the provider to mend its document."
            )
        }
        guard let tokenEndpoint = metadata.tokenEndpoint else {
            throw AuthStateError(.invalidMetadata, stage: .discovery, "The provider's metadata lacks token_endpoint.")
        }
        self.init(
            issuer: issuer, authorizationEndpoint: metadata.authorizationEndpoint, tokenEndpoint: tokenEndpoint,
            jwksURI: metadata.jwksURI, userInfoEndpoint: metadata.userInfoEndpoint,
            endSessionEndpoint: metadata.endSessionEndpoint, registrationEndpoint: metadata.registrationEndpoint,
            revocationEndpoint: metadata.revocationEndpoint
        )
        self.metadata = metadata
    }

    /// Whether an ID token of this provider could be found to be genuine.
    ///
    /// - Parameter fromBrowser: Whether it comes in the authorization response, where TLS proves nothing.
    package func canVerifyIDTokens(fromBrowser: Bool) -> Bool {
        let policy = idTokenPolicy
        let trustsConnection = policy.trustsTLS && !fromBrowser
        return issuer != nil && (jwksURI != nil || trustsConnection || !policy.algorithms.needPublishedKeys)
    }

    /// Every endpoint that there is.
    package var endpoints: [URL] {
        [
            authorizationEndpoint, tokenEndpoint, jwksURI, userInfoEndpoint, endSessionEndpoint, registrationEndpoint,
            revocationEndpoint,
        ].compactMap { $0 }
    }

    /// What OpenID Connect Discovery 1.0, section 3, requires of a provider with the code flow.
    static let required = [
        "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported", "subject_types_supported",
        "id_token_signing_alg_values_supported",
    ]
}
