public import AuthStateJOSE

/// A request to the token endpoint (RFC 6749, sections 4.1.3, 4.4.2 and 6, and its extensions).
public struct TokenRequest: Sendable, Hashable {
    /// The provider.
    public var configuration: ServiceConfiguration
    /// The grant.
    public var grantType: GrantType
    /// The client's identifier.
    public var clientID: String
    /// The authorization code.
    public var code: String?
    /// The redirect URI that the code came to.
    public var redirectURI: RedirectURI?
    /// The verifier that belongs to the code.
    public var codeVerifier: CodeVerifier?
    /// The refresh token.
    public var refreshToken: String?
    /// The device code of a login that is confirmed elsewhere.
    public var deviceCode: String?
    /// The identifier of a backchannel authentication (`auth_req_id`), which a person confirms where the provider asks.
    public var authenticationRequestID: String?
    /// The signed assertion; nil while `jwtBearer` is not signed yet.
    public var assertion: String?
    /// The grant whose assertion is signed when the request is sent.
    public var jwtBearer: JWTBearerGrant?
    /// The tokens of an exchange.
    public var exchange: TokenExchange?
    /// The scopes to ask for; empty leaves them to the grant.
    public var scopes: [Scope]
    /// The resources that the token shall be for, absolute URIs (RFC 8707, section 2.2); empty leaves it to the grant.
    public var resources: [String] = []
    /// The access that the token shall be for, in detail (RFC 9396, section 6); empty leaves it to the grant.
    public var authorizationDetails: [AuthorizationDetail] = []
    /// The key that the tokens are bound to, or shall be (RFC 9449, section 5); nil asks for bearer tokens.
    public var dpopKey: DPoPKey?
    /// Additional parameters that the provider understands, for example `audience`.
    public var additionalParameters: Parameters

    init(
        _ grantType: GrantType, _ configuration: ServiceConfiguration, _ clientID: String, scopes: [Scope],
        additionalParameters: Parameters
    ) {
        self.configuration = configuration
        self.grantType = grantType
        self.clientID = clientID
        self.scopes = scopes
        self.additionalParameters = additionalParameters
    }

    /// Exchanges the code of an authorization response; it goes to the provider that the response came from.
    ///
    /// A resource is named again when the login asked for exactly one; set `resources` to pick one of several.
    public init(exchanging response: AuthorizationResponse, additionalParameters: Parameters = [:]) {
        self.init(
            .authorizationCode, response.request.configuration, response.request.clientID, scopes: [],
            additionalParameters: additionalParameters)
        code = response.code
        redirectURI = response.request.redirectURI
        codeVerifier = response.request.codeVerifier
        dpopKey = response.request.dpopKey
        resources = ResourceIndicators.single(response.request.resources)
    }

    /// Redeems a refresh token.
    public init(
        refreshToken: String, configuration: ServiceConfiguration, clientID: String, scopes: [Scope] = [],
        additionalParameters: Parameters = [:]
    ) {
        self.init(
            .refreshToken, configuration, clientID, scopes: scopes, additionalParameters: additionalParameters)
        self.refreshToken = refreshToken
    }

    /// Asks for a token in the client's own name.
    public init(
        clientCredentialsFor clientID: String, configuration: ServiceConfiguration, scopes: [Scope] = [],
        additionalParameters: Parameters = [:]
    ) {
        self.init(
            .clientCredentials, configuration, clientID, scopes: scopes, additionalParameters: additionalParameters)
    }

    /// The part of a flow that this request belongs to.
    package var stage: AuthStateError.Stage { grantType == .refreshToken ? .refresh : .token }

    /// The HTTP request: a form, with the client's proof.
    ///
    /// - Parameter dpopProof: For a request with a `dpopKey`: a signed `DPoPProof` for this endpoint.
    /// - Throws: `AuthStateError` for a malformed scope or resource, a type of authorization details that the provider does
    ///   not list, an additional parameter that would replace one of
    ///   the grant's, an assertion that is not signed, or an algorithm of the DPoP key that the provider does not take.
    public func transportRequest(
        authentication: ClientAuthentication, dpopProof: String? = nil
    ) throws -> TransportRequest {
        guard jwtBearer == nil || assertion != nil else {
            throw AuthStateError(
                .invalidArgument, stage: stage, "The assertion is not signed.",
                hint: "Sign it with JWTBearerGrant.assertion, or let AuthorizationService.perform do it.")
        }
        if let dpopKey { try configuration.check(dpopAlgorithm: dpopKey.algorithm, stage: stage) }
        var form: Parameters = ["grant_type": grantType.rawValue]
        form["code"] = code
        form["redirect_uri"] = redirectURI?.rawValue
        form["code_verifier"] = codeVerifier?.rawValue
        form["refresh_token"] = refreshToken
        form["device_code"] = deviceCode
        form["auth_req_id"] = authenticationRequestID
        form["assertion"] = assertion
        exchange?.apply(to: &form)
        form["scope"] = try scopes.joined(stage: stage, tolerating: configuration.tolerances)
        try ResourceIndicators.check(resources, stage: stage)
        for resource in resources { form.append("resource", resource) }
        try authorizationDetails.check(configuration.metadata, stage: stage)
        form["authorization_details"] = authorizationDetails.isEmpty ? nil : authorizationDetails.parameter
        var message = try TransportRequest(
            posting: form, additional: additionalParameters, to: configuration.tokenEndpoint,
            authentication: authentication, stage: stage)
        if let dpopProof { message.headers["DPoP"] = dpopProof }
        return message
    }
}

extension TokenRequest: Redacted {
    /// Client and grant; codes and tokens stay secret.
    public var description: String { "\(grantType.rawValue) request of \(clientID)" }
}
