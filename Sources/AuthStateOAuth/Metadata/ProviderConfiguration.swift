public import AuthStateFoundation
public import AuthStateJOSE

/// Where a provider's endpoints are: given by hand, or read from its discovery document.
public struct ProviderConfiguration: Sendable, Hashable, Codable {
    /// The issuer; nil for a plain OAuth provider without ID tokens.
    public var issuer: Issuer?
    /// Where people log in; nil for a provider that only serves machines.
    public var authorizationEndpoint: URL?
    /// Where grants become tokens.
    public var tokenEndpoint: URL
    /// The public keys that ID tokens are verified with.
    public var jwksURI: URL?
    /// Claims about the user.
    public var userInfoEndpoint: URL?
    /// RP-initiated logout.
    public var endSessionEndpoint: URL?
    /// Dynamic client registration.
    public var registrationEndpoint: URL?
    /// Token revocation.
    public var revocationEndpoint: URL?
    /// Token introspection.
    public var introspectionEndpoint: URL?
    /// Device authorization (RFC 8628).
    public var deviceAuthorizationEndpoint: URL?
    /// Pushed authorization requests (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: URL?
    /// Backchannel authentication (OpenID Connect CIBA Core 1.0).
    public var backchannelAuthenticationEndpoint: URL?
    /// The metadata that the endpoints came from: one document, or two of one provider merged.
    public var metadata: ProviderMetadata?
    /// The provider's known deviations, accepted by name.
    public var tolerances: Set<Tolerance> = []
    /// The rules for the ID tokens of this provider.
    public var idTokenPolicy: IDTokenPolicy {
        get { ownIDTokenPolicy ?? IDTokenPolicy() }
        set { ownIDTokenPolicy = newValue == IDTokenPolicy() ? nil : newValue }
    }
    /// Algorithms that may have signed userinfo (`userinfo_signed_response_alg` of the client's registration).
    ///
    /// Those with a shared secret are keyed by the client's (OpenID Connect Core, section 10.1). Nil accepts the algorithms
    /// of ``idTokenPolicy`` that have a public key, or all of them where it has none.
    public var userInfoAlgorithms: Set<SignatureAlgorithm>?
    /// Optional, so that archives from before there was a policy can be read.
    private var ownIDTokenPolicy: IDTokenPolicy?

    /// The addresses that this provider's endpoints may be asked at: `.publicOnly` for one that a user named.
    ///
    /// It is archived with the endpoints, so that renewals hold to it.
    public var addressPolicy: AddressPolicy {
        get { ownAddressPolicy ?? .any }
        set { ownAddressPolicy = newValue == .any ? nil : newValue }
    }
    /// Optional, so that archives from before there was a policy can be read.
    private var ownAddressPolicy: AddressPolicy?

    /// Whether a protected resource named this provider: a refusal without the promised `iss` is then not believed.
    ///
    /// Optional, so that it is absent from the archives of all others.
    package var namedByResource: Bool?

    /// Endpoints by hand.
    ///
    /// With the scope `openid`, `issuer` and `jwksURI` are needed: no ID token goes unverified.
    public init(
        issuer: Issuer? = nil, authorizationEndpoint: URL?, tokenEndpoint: URL, jwksURI: URL? = nil,
        userInfoEndpoint: URL? = nil, endSessionEndpoint: URL? = nil, registrationEndpoint: URL? = nil,
        revocationEndpoint: URL? = nil, introspectionEndpoint: URL? = nil, deviceAuthorizationEndpoint: URL? = nil,
        pushedAuthorizationRequestEndpoint: URL? = nil, backchannelAuthenticationEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.jwksURI = jwksURI
        self.userInfoEndpoint = userInfoEndpoint
        self.endSessionEndpoint = endSessionEndpoint
        self.registrationEndpoint = registrationEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.introspectionEndpoint = introspectionEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        self.pushedAuthorizationRequestEndpoint = pushedAuthorizationRequestEndpoint
        self.backchannelAuthenticationEndpoint = backchannelAuthenticationEndpoint
    }

    /// The algorithms that signed userinfo has to use; `none` is not among them.
    package var acceptedUserInfoAlgorithms: Set<SignatureAlgorithm> {
        if let userInfoAlgorithms { return userInfoAlgorithms.subtracting([.unsecured]) }
        let algorithms = idTokenPolicy.algorithms.intersection(.asymmetric)
        return algorithms.isEmpty ? .asymmetric : algorithms
    }

    /// The algorithms of logout tokens: those of the client's ID tokens (Back-Channel Logout 1.0, section 2.6, 2).
    ///
    /// Where the provider does not offer the default, RS256, it is one of those that it offers.
    package var logoutTokenAlgorithms: Set<SignatureAlgorithm> {
        let offered = Set((metadata?.idTokenSigningAlgValuesSupported ?? []).map(SignatureAlgorithm.init))
            .intersection(.asymmetric)
        let isDefault = idTokenPolicy.algorithms == .asymmetric
        return isDefault && !offered.isEmpty && !offered.contains(.rs256) ? offered : idTokenPolicy.registeredAlgorithms
    }

    /// Whether an ID token of this provider can be verified; TLS proves nothing about one that comes from the browser.
    package func canVerifyIDTokens(fromBrowser: Bool) -> Bool {
        let policy = idTokenPolicy
        let trustsConnection = policy.trustsTLS && !fromBrowser
        return issuer != nil && (jwksURI != nil || trustsConnection || !policy.algorithms.needPublishedKeys)
    }

    /// Refuses a login whose ID token could not be verified, before a request is sent or the browser opened. Throws
    /// `AuthStateError` of stage authorization with `.invalidMetadata`.
    package func checkIDTokens(fromBrowser: Bool) throws {
        guard !canVerifyIDTokens(fromBrowser: fromBrowser) else { return }
        throw AuthStateError(
            .invalidMetadata, stage: .authorization, "The ID token could not be verified.",
            expected: "an issuer and a jwks_uri in the provider configuration",
            hint: "Use discovery, give issuer and jwksURI, or leave out the scope openid.")
    }

    /// The template that ID tokens' issuers have to fit instead of the issuer; nil unless that is tolerated.
    package var tenantIssuer: TenantIssuer? { tolerances.contains(.tenantIssuer) ? metadata?.tenantIssuer : nil }
}
