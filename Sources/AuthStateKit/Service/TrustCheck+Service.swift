package import AuthStateJOSE

extension TrustCheck {
    /// Where a resource named the authorization server, that server's metadata list S256 (MCP, Authorization).
    package static let promisedPKCE = TrustCheck("promisedPKCE")
    /// A metadata document behind a redirect is at the same origin: another one may be a stranger's (RFC 8414, 3).
    package static let metadataRedirect = TrustCheck("metadataRedirect")
    /// The document that completes another one names the same issuer (RFC 8414, 3.3).
    package static let completingIssuer = TrustCheck("completingIssuer")
    /// An endpoint is https, or http on this machine beside an issuer on this machine (RFC 8414, 2; RFC 9700, 4.15).
    package static let endpointTLS = TrustCheck("endpointTLS")
    /// A remote provider names no endpoint on this machine (RFC 9700, 4.12).
    package static let endpointHost = TrustCheck("endpointHost")
    /// An issuer that arrives from outside is one of those that the program allows (Discovery 7.2).
    package static let issuerAllowList = TrustCheck("issuerAllowList")
    /// Userinfo is signed when the program requires it (Core 5.3.2).
    package static let userInfoIsSigned = TrustCheck("userInfoIsSigned")
    /// A login is completed within ten minutes.
    package static let pendingExpiry = TrustCheck("pendingExpiry")
    /// A login is completed once (RFC 6749, 10.5).
    package static let pendingUse = TrustCheck("pendingUse")
    /// An assertion that is sent is a JWT, and not a key or secret in its place (RFC 7523, 3).
    package static let assertionForm = TrustCheck("assertionForm")
    /// A JWT-SVID that is sent is for the provider's issuer alone (draft-ietf-oauth-spiffe-client-auth, 3.1).
    package static let workloadAudience = TrustCheck("workloadAudience")
}
