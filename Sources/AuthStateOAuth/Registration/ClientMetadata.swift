public import AuthStateJOSE

/// What a client says about itself (RFC 7591, section 2; OpenID Connect Dynamic Client Registration 1.0, section 2), in a
/// registration or in a document at its own URL (`ClientMetadataDocument`).
public struct ClientMetadata: Sendable, Hashable {
    /// The redirect URIs; a client without a login in a browser may have none.
    public var redirectURIs: [RedirectURI]
    /// Grants that it will use; nil means the authorization code.
    public var grantTypes: [GrantType]?
    /// Response types that it will use; nil means `code`.
    public var responseTypes: [AuthorizationRequest.ResponseType]?
    /// Scopes that it may ask for.
    public var scopes: [Scope] = []
    /// `native` or `web`.
    public var applicationType: String? = "native"
    /// Where browsers may go after a logout.
    public var postLogoutRedirectURIs: [RedirectURI] = []
    /// Where the provider posts logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.2).
    public var backchannelLogoutURI: String?
    /// Whether logout tokens have to name the session.
    public var backchannelLogoutSessionRequired: Bool?
    /// Where third parties can start a login (OpenID Connect Core, section 4).
    public var initiateLoginURI: String?
    /// The client's name as users see it.
    public var clientName: String?
    /// A page about it.
    public var clientURI: String?
    /// Its picture.
    public var logoURI: String?
    /// A page about how it uses data.
    public var policyURI: String?
    /// A page with its terms of service.
    public var termsOfServiceURI: String?
    /// The people responsible for the client, mostly mail addresses.
    public var contacts: [String] = []
    /// The software, the same for all of its clients.
    public var softwareID: String?
    /// The software's version.
    public var softwareVersion: String?
    /// A statement about the client by a party that the provider trusts, a signed JWT (RFC 7591, section 2.3).
    public var softwareStatement: String?
    /// How it will authenticate; nil leaves it to the provider.
    public var tokenEndpointAuthMethod: ClientAuthenticationMethod?
    /// How it will sign its assertions; nil leaves it to the client.
    public var tokenEndpointAuthSigningAlg: SignatureAlgorithm?
    /// Its keys (`jwks`), for `private_key_jwt`; only their public part is sent.
    public var keys: [JSONWebKey] = []
    /// Where its public keys are, in place of `keys`.
    public var jwksURI: String?
    /// The subject of its certificate, for `tls_client_auth` (RFC 8705, section 2.1.2).
    public var tlsClientAuthSubjectDN: String?
    /// How its ID tokens shall be signed; nil means RS256.
    public var idTokenSignedResponseAlg: SignatureAlgorithm?
    /// How claims about the user shall be signed; nil leaves them as JSON.
    public var userInfoSignedResponseAlg: SignatureAlgorithm?
    /// How its authorization responses shall be signed, where it asks for signed ones (JARM, section 3); nil means RS256.
    public var authorizationSignedResponseAlg: SignatureAlgorithm?
    /// The types of authorization details that it may ask for (RFC 9396, section 10).
    public var authorizationDetailsTypes: [String] = []
    /// How it will sign its requests (RFC 9101); nil leaves it to the client.
    public var requestObjectSigningAlg: SignatureAlgorithm?
    /// Whether requests that are not signed are to be refused (RFC 9101, section 10.5).
    public var requireSignedRequestObject: Bool?
    /// Whether requests that were not pushed are to be refused (RFC 9126, section 6).
    public var requirePushedAuthorizationRequests: Bool?
    /// Whether its tokens are always bound to a DPoP key (RFC 9449, section 5.2).
    public var dpopBoundAccessTokens: Bool?
    /// Whether its tokens are always bound to its certificate (RFC 8705, section 3.4).
    public var tlsClientCertificateBoundAccessTokens: Bool?
    /// `public`, or `pairwise` for subjects that no other client sees.
    public var subjectType: String?
    /// The oldest acceptable login at the provider, in seconds, unless a request says otherwise.
    public var defaultMaxAge: Int?
    /// Whether ID tokens have to name the time of the login.
    public var requireAuthTime: Bool?

    /// Additional members that the provider understands, for example `client_name#fr` (RFC 7591, section 2.2); for a
    /// member that has a property here the property takes precedence, when it is set.
    public var additionalMetadata: [String: JSONValue] = [:]

    /// Makes the metadata of a client.
    public init(redirectURIs: [RedirectURI] = []) { self.redirectURIs = redirectURIs }
}
