import AuthStateJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ServiceConfiguration {
    /// Endpoints from a metadata document.
    ///
    /// - Parameters:
    ///   - metadata: The document.
    ///   - issuer: The issuer that was asked for; the document must name exactly this one.
    ///   - kind: Which specification the document follows; it decides what must be there.
    /// - Throws: `AuthStateError` with `.issuerMismatch`, or `.invalidMetadata` when a member that is needed is absent.
    public init(
        metadata: ProviderMetadata, issuer: Issuer, kind: ProviderMetadata.Kind = .openIDConnect
    ) throws {
        guard TrustCheck.metadataIssuer.holds(metadata.issuer?.isExactly(issuer.rawValue) == true) else {
            throw AuthStateError(
                .issuerMismatch, stage: .discovery, "The discovery document belongs to another issuer.",
                expected: issuer.rawValue, received: metadata.issuer ?? "no issuer",
                hint: "Use the issuer exactly as the provider writes it, trailing slash included."
            )
        }
        func lacks(_ name: String) -> AuthStateError {
            AuthStateError(
                .invalidMetadata, stage: .discovery, "The provider's metadata lacks \(name).", expected: name,
                hint: "Give the endpoints by hand, or ask the provider to mend its document."
            )
        }
        if let name = kind.required(of: metadata).first(where: { metadata.document[$0] == nil }) { throw lacks(name) }
        guard let tokenEndpoint = metadata.tokenEndpoint else { throw lacks("token_endpoint") }
        self.init(
            issuer: issuer, authorizationEndpoint: metadata.authorizationEndpoint, tokenEndpoint: tokenEndpoint,
            jwksURI: metadata.jwksURI, userInfoEndpoint: metadata.userInfoEndpoint,
            endSessionEndpoint: metadata.endSessionEndpoint, registrationEndpoint: metadata.registrationEndpoint,
            revocationEndpoint: metadata.revocationEndpoint, introspectionEndpoint: metadata.introspectionEndpoint,
            deviceAuthorizationEndpoint: metadata.deviceAuthorizationEndpoint,
            pushedAuthorizationRequestEndpoint: metadata.pushedAuthorizationRequestEndpoint
        )
        self.metadata = metadata
    }
}
