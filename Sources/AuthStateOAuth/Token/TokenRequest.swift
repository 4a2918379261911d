public import AuthStateJOSE

/// A request to the token endpoint (RFC 6749, sections 4.1.3, 4.4.2 and 6, and its extensions).
public struct TokenRequest: Sendable, Hashable, Redacted {
    /// What the client presents for the tokens.
    public enum Grant: Sendable, Hashable {
        /// The code of an authorization response, the redirect URI that it came to, and the verifier that belongs to it
        /// (RFC 6749, section 4.1.3; RFC 7636).
        case authorizationCode(String, redirectURI: RedirectURI?, codeVerifier: CodeVerifier?)
        /// A refresh token (RFC 6749, section 6).
        case refreshToken(String)
        /// Nothing but the client's own credential (RFC 6749, section 4.4).
        case clientCredentials
        /// The device code of a login that a user confirms elsewhere (RFC 8628, section 3.4).
        case deviceCode(String)
        /// The identifier of a backchannel authentication, `auth_req_id` (OpenID Connect CIBA Core 1.0, section 10.1).
        case backchannelAuthentication(String)
        /// An assertion that another party signed, for example another provider (RFC 7523, section 2.1).
        case assertion(String)
        /// An assertion that is signed when the request is sent, anew each time (RFC 7523, section 2.1).
        case jwtBearer(JWTBearerGrant)
        /// An assertion that another party signed, read when the request is sent (RFC 7523, section 2.1).
        case issuedAssertion(AssertionGrant)
        /// Tokens that are exchanged for another one (RFC 8693, section 2.1).
        case tokenExchange(TokenExchange)
    }

    /// The client that asks, and its provider.
    public var client: Client
    /// What it presents.
    public var grant: Grant
    /// The scopes to ask for; empty leaves them to the grant.
    public var scopes: [Scope]
    /// The resources that the token shall be for, absolute URIs (RFC 8707, section 2.2); empty leaves it to the grant.
    public var resources: [String]
    /// The access that the token shall be for, in detail (RFC 9396, section 6); empty leaves it to the grant.
    public var authorizationDetails: [AuthorizationDetail] = []
    /// The key that the tokens are bound to, or shall be (RFC 9449, section 5); nil asks for bearer tokens.
    public var dpopKey: DPoPKey?
    /// Additional parameters that the provider understands, for example `audience`.
    public var additionalParameters: Parameters

    /// Makes a request. Scopes and resources that are not given are those of the grant; the parameters are added to those
    /// of the grant.
    public init(
        _ client: Client, _ grant: Grant, scopes: [Scope] = [], resources: [String] = [],
        additionalParameters: Parameters = [:]
    ) {
        let own = grant.terms
        self.client = client
        self.grant = grant
        self.scopes = scopes.isEmpty ? own.scopes : scopes
        self.resources = resources.isEmpty ? own.resources : resources
        self.additionalParameters = own.additionalParameters
        self.additionalParameters.merge(additionalParameters)
    }

    /// Exchanges the code of an authorization response; it goes to the provider that the response came from.
    ///
    /// A resource is named again when the login asked for exactly one; set `resources` to pick one of several.
    public init(exchanging response: AuthorizationResponse, additionalParameters: Parameters = [:]) {
        let request = response.request
        self.init(
            request.client,
            .authorizationCode(response.code, redirectURI: request.redirectURI, codeVerifier: request.codeVerifier),
            resources: ResourceIndicators.single(request.resources), additionalParameters: additionalParameters)
        dpopKey = request.dpopKey
    }

    /// The grant's name (RFC 6749, section 4).
    public var grantType: GrantType { grant.type }
    /// The part of a flow that this request belongs to.
    package var stage: AuthStateError.Stage { grantType == .refreshToken ? .refresh : .token }

    /// Whether the assertion identifies the client, and no other parameter needs to (RFC 7521, section 4.1).
    package var isNamedByAssertion: Bool {
        switch grant {
        case .jwtBearer(let grant): grant.issuer == client.id
        case .issuedAssertion: client.id.isEmpty
        default: false
        }
    }

    /// The HTTP request: a form, with the client's proof, and for a request with a `dpopKey` a proof for this endpoint.
    ///
    /// - Throws: `AuthStateError` for a malformed scope or resource, a type of authorization details that the provider does
    ///   not list, an additional parameter that would replace one of the grant's, an assertion that is not signed, or an
    ///   algorithm of the DPoP key that the provider does not take.
    package func transportRequest(
        authentication: ClientAuthentication, dpopProof: String? = nil
    ) throws -> TransportRequest {
        if let dpopKey { try client.provider.check(dpopAlgorithm: dpopKey.algorithm, stage: stage) }
        var form: Parameters = ["grant_type": grantType.rawValue]
        try grant.apply(to: &form, stage: stage)
        form["scope"] = try scopes.joined(stage: stage, tolerating: client.provider.tolerances)
        try form.add(resources: resources, stage: stage)
        try authorizationDetails.check(client.provider.metadata, stage: stage)
        form["authorization_details"] = authorizationDetails.isEmpty ? nil : authorizationDetails.parameter
        var message = try TransportRequest(
            posting: form, additional: additionalParameters, to: client.provider.tokenEndpoint,
            authentication: authentication, stage: stage)
        if let dpopProof { message.headers["DPoP"] = dpopProof }
        return message
    }

    /// Client and grant; codes and tokens stay secret.
    public var description: String { "\(grantType.rawValue) request of \(client.id)" }
}
