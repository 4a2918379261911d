extension OpenIDProvider {
    /// The provider's endpoints.
    public enum Endpoint: String, Sendable, Hashable, CaseIterable {
        /// The discovery document of OpenID Connect.
        case discovery
        /// The metadata document of RFC 8414.
        case metadata
        /// WebFinger: the issuer for a user's identifier (RFC 7033).
        case webFinger
        /// The public keys.
        case keySet
        /// Where people log in.
        case authorization
        /// Pushed authorization requests (RFC 9126).
        case pushedAuthorization
        /// Where grants become tokens.
        case token
        /// Claims about the user.
        case userInfo
        /// A protected resource, `/api/hello`.
        case resource
        /// The protected resource's metadata before its path (RFC 9728, section 3.1).
        case resourceMetadata
        /// The protected resource's metadata at the root.
        case rootResourceMetadata
        /// The protected resource's metadata at the URL that its challenges name (RFC 9728, section 5.1).
        case namedResourceMetadata
        /// RP-initiated logout.
        case endSession
        /// Token revocation (RFC 7009).
        case revocation
        /// Token introspection (RFC 7662).
        case introspection
        /// Dynamic client registration (RFC 7591).
        case registration
        /// Where a registration is read, replaced and deleted (RFC 7592).
        case clientConfiguration
        /// Where devices get their codes (RFC 8628).
        case deviceAuthorization
        /// Where people enter a device's user code.
        case deviceVerification
        /// Where clients start a backchannel authentication (OpenID Connect CIBA Core 1.0).
        case backchannelAuthentication
        /// The provider's own page: users, clients, troubles and the newest requests.
        case home

        private static let routes: [Endpoint: (path: String, methods: Set<String>)] = [
            .discovery: ("/.well-known/openid-configuration", ["GET"]),
            .metadata: ("/.well-known/oauth-authorization-server", ["GET"]),
            .webFinger: ("/.well-known/webfinger", ["GET"]),
            .keySet: ("/jwks", ["GET"]),
            .authorization: ("/authorize", ["GET", "POST"]),
            .pushedAuthorization: ("/par", ["POST"]),
            .token: ("/token", ["POST"]),
            .userInfo: ("/userinfo", ["GET", "POST"]),
            .resource: ("/api/hello", ["GET", "POST", "PUT", "DELETE"]),
            .resourceMetadata: ("/.well-known/oauth-protected-resource", ["GET"]),
            .rootResourceMetadata: ("/.well-known/oauth-protected-resource", ["GET"]),
            .namedResourceMetadata: ("/resource-metadata", ["GET"]),
            .endSession: ("/logout", ["GET", "POST"]),
            .revocation: ("/revoke", ["POST"]),
            .introspection: ("/introspect", ["POST"]),
            .registration: ("/register", ["POST"]),
            .clientConfiguration: ("/client", ["GET", "PUT", "DELETE"]),
            .deviceAuthorization: ("/device_authorization", ["POST"]),
            .deviceVerification: ("/device", ["GET", "POST"]),
            .backchannelAuthentication: ("/backchannel", ["POST"]),
            .home: ("/", ["GET", "POST"]),
        ]

        /// Where it is, for an issuer with this path; RFC 8414 puts its document before the path, RFC 7033 knows no path.
        func path(under issuerPath: String) -> String {
            let path = Self.routes[self]?.path ?? "/"
            return switch self {
            case .webFinger, .rootResourceMetadata: path
            case .resourceMetadata: path + Self.resource.path(under: issuerPath)
            case .metadata: path + issuerPath
            default: issuerPath + path
            }
        }

        /// The methods that it understands.
        var methods: Set<String> { Self.routes[self]?.methods ?? [] }
    }
}
