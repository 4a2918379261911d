extension TokenRequest {
    /// Asks whether a person has confirmed the login that a device code belongs to (RFC 8628, section 3.4).
    public init(
        deviceCode: String, configuration: ServiceConfiguration, clientID: String,
        additionalParameters: Parameters = [:]
    ) {
        self.init(.deviceCode, configuration, clientID, scopes: [], additionalParameters: additionalParameters)
        self.deviceCode = deviceCode
    }

    /// Asks whether a person has confirmed a backchannel authentication (OpenID Connect CIBA Core 1.0, section 10.1).
    public init(
        authenticationRequestID: String, configuration: ServiceConfiguration, clientID: String,
        additionalParameters: Parameters = [:]
    ) {
        self.init(.ciba, configuration, clientID, scopes: [], additionalParameters: additionalParameters)
        self.authenticationRequestID = authenticationRequestID
    }

    /// Presents an assertion that another party signed, for example another provider (RFC 7523, section 2.1).
    public init(
        assertion: String, configuration: ServiceConfiguration, clientID: String, scopes: [Scope] = [],
        additionalParameters: Parameters = [:]
    ) {
        self.init(.jwtBearer, configuration, clientID, scopes: scopes, additionalParameters: additionalParameters)
        self.assertion = assertion
    }

    /// Presents an assertion that the service signs when the request is sent, anew each time (RFC 7523, section 2.1).
    ///
    /// - Parameter clientID: Nil takes the grant's issuer, which is then not named beside the assertion.
    public init(jwtBearer grant: JWTBearerGrant, configuration: ServiceConfiguration, clientID: String? = nil) {
        self.init(
            .jwtBearer, configuration, clientID ?? grant.issuer, scopes: grant.scopes,
            additionalParameters: grant.additionalParameters)
        resources = grant.resources
        jwtBearer = grant
    }

    /// Exchanges one token for another (RFC 8693, section 2.1).
    public init(exchange: TokenExchange, configuration: ServiceConfiguration, clientID: String) {
        self.init(
            .tokenExchange, configuration, clientID, scopes: exchange.scopes,
            additionalParameters: exchange.additionalParameters)
        resources = exchange.resources
        self.exchange = exchange
    }

    /// Whether the assertion's issuer identifies the client, and no other parameter needs to (RFC 7521, section 4.1).
    package var isNamedByAssertion: Bool { jwtBearer?.issuer == clientID }
}
