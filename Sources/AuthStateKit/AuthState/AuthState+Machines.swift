public import AuthStateOAuth

extension AuthState {
    /// Gets a token in the client's own name (RFC 6749, section 4.4); the client's credential renews it.
    ///
    /// A failure of the last save is not thrown, as with `authorize`.
    ///
    /// - Parameters:
    ///   - resources: The resources that the token is for, absolute URIs (RFC 8707); kept for renewals, as the scopes
    ///     are.
    ///   - dpopKey: The key to bind the tokens to (RFC 9449); nil asks for bearer tokens.
    /// - Throws: `AuthStateError` of stage token; what was stored before is then unchanged.
    public static func clientCredentials(
        configuration: ServiceConfiguration,
        clientID: String,
        credential: ClientCredential,
        scopes: [Scope] = [],
        resources: [String] = [],
        additionalParameters: Parameters = [:],
        dpopKey: DPoPKey? = nil,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options()
    ) async throws -> AuthState {
        let grant = ClientCredentialsGrant(
            scopes: scopes, resources: resources, additionalParameters: additionalParameters)
        return try await WayIn(credential, service, store, key, annotations, options)
            .ask(.clientCredentials(grant), configuration, clientID, dpopKey)
    }

    /// Gets a token with an assertion that a service signs (RFC 7523, section 2.1); each renewal signs a new one.
    ///
    /// A failure of the last save is not thrown, as with `authorize`. The stored state only refers to the key.
    ///
    /// - Parameters:
    ///   - grant: The assertion to sign, and its key.
    ///   - clientID: The client's identifier; nil takes the grant's issuer, which is then not sent beside the assertion.
    ///   - credential: The client's credential, for providers that require the client to authenticate as well.
    ///   - dpopKey: The key to bind the tokens to (RFC 9449); nil asks for bearer tokens.
    /// - Throws: `AuthStateError` of stage token: `.credentialUnavailable` when the key is not where it should be,
    ///   `.invalidGrant` when the provider does not accept the assertion. What was stored before is then unchanged.
    public static func jwtBearer(
        _ grant: JWTBearerGrant,
        configuration: ServiceConfiguration,
        clientID: String? = nil,
        credential: ClientCredential = .none,
        dpopKey: DPoPKey? = nil,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        annotations: [String: String] = [:],
        options: Options = Options()
    ) async throws -> AuthState {
        try await WayIn(credential, service, store, key, annotations, options)
            .ask(.jwtBearer(grant), configuration, clientID ?? grant.issuer, dpopKey)
    }
}

extension AuthState.WayIn {
    /// Requests tokens in the client's own name, or with an assertion; the same request renews them.
    func ask(
        _ grant: AuthState.MachineGrant, _ configuration: ServiceConfiguration, _ clientID: String,
        _ dpopKey: DPoPKey?
    ) async throws -> AuthState {
        try await state {
            var record = self.record(configuration, clientID, dpopKey: dpopKey)
            record.machineGrant = grant
            var request = grant.request(configuration: configuration, clientID: clientID)
            request.dpopKey = dpopKey
            let tokens = try await service.perform(request, credential: credential).answering(request)
            return (record, .loggedIn(nil, tokens, requestedScope: grant.scopes.requested))
        }
    }
}
