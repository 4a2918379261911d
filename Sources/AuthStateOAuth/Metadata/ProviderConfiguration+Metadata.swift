import AuthStateFoundation
package import AuthStateJOSE

extension ProviderConfiguration {
    /// Endpoints from a metadata document.
    ///
    /// - Parameters:
    ///   - metadata: The document.
    ///   - issuer: The issuer that was asked for; the document must name exactly this one.
    ///   - kind: The specification that the document follows; it decides which members are required.
    ///   - tolerances: The provider's known deviations; `.tenantIssuer` applies here already.
    /// - Throws: `AuthStateError` with `.issuerMismatch`, or `.invalidMetadata` when a member that is needed is absent.
    public init(
        metadata: ProviderMetadata, issuer: Issuer, kind: ProviderMetadata.Kind = .openIDConnect,
        tolerances: Set<Tolerance> = []
    ) throws {
        let isTenant = tolerances.contains(.tenantIssuer) && metadata.tenantIssuer?.covers(issuer) == true
        guard TrustCheck.metadataIssuer.holds(isTenant || metadata.issuer?.isExactly(issuer.rawValue) == true) else {
            throw AuthStateError(
                .issuerMismatch, stage: .discovery, "The discovery document belongs to another issuer.",
                expected: issuer.rawValue, received: metadata.issuer ?? "no issuer",
                hint: "Use the issuer exactly as the provider writes it, trailing slash included. "
                    + "Where that one has no metadata, give it and this document to "
                    + "ProviderConfiguration(metadata:issuer:).")
        }
        if let name = kind.required(of: metadata).first(where: { !metadata.names($0) }) { throw Self.lack(of: name) }
        try self.init(endpointsOf: metadata, issuer: issuer)
        self.tolerances = tolerances
    }

    /// Endpoints written by hand in the form of a metadata document. Throws `AuthStateError` with `.invalidMetadata`
    /// without a token endpoint, `.invalidIssuer`.
    package init(byHand metadata: ProviderMetadata) throws {
        try self.init(endpointsOf: metadata, issuer: metadata.issuer.map(Issuer.init))
    }

    private init(endpointsOf metadata: ProviderMetadata, issuer: Issuer?) throws {
        guard let tokenEndpoint = metadata.tokenEndpoint else { throw Self.lack(of: "token_endpoint") }
        self.init(
            issuer: issuer, authorizationEndpoint: metadata.authorizationEndpoint, tokenEndpoint: tokenEndpoint,
            jwksURI: metadata.jwksURI, userInfoEndpoint: metadata.userInfoEndpoint,
            endSessionEndpoint: metadata.endSessionEndpoint, registrationEndpoint: metadata.registrationEndpoint,
            revocationEndpoint: metadata.revocationEndpoint, introspectionEndpoint: metadata.introspectionEndpoint,
            deviceAuthorizationEndpoint: metadata.deviceAuthorizationEndpoint,
            pushedAuthorizationRequestEndpoint: metadata.pushedAuthorizationRequestEndpoint,
            backchannelAuthenticationEndpoint: metadata.backchannelAuthenticationEndpoint)
        self.metadata = metadata
    }

    private static func lack(of name: String) -> AuthStateError {
        AuthStateError(
            .invalidMetadata, stage: .discovery, "The provider's metadata lacks \(name).", expected: name,
            hint: "Give the endpoints by hand, or ask the provider to mend its document.")
    }
}

extension TrustCheck {
    /// The metadata document names the issuer that was asked for (Discovery 4.3; RFC 8414, 3.3).
    package static let metadataIssuer = TrustCheck("metadataIssuer")
}
