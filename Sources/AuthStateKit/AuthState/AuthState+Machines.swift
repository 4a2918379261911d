public import AuthStateOAuth

extension AuthState {
    /// Gets a token in the client's own name (RFC 6749, section 4.4); it renews itself with the client's credential.
    ///
    /// A last save that fails is no error here, as with `authorize`.
    ///
    /// - Parameters:
    ///   - resources: What the token shall be for, absolute URIs (RFC 8707); kept for renewals, as the scopes are.
    ///   - dpopKey: The key that the tokens shall be bound to (RFC 9449); nil asks for bearer tokens.
    /// - Throws: `AuthStateError` of stage token; what was stored before is then untouched.
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
        var record = Record(configuration: configuration, clientID: clientID, credential: credential)
        record.dpopKey = dpopKey
        record.annotations = annotations
        return try await make(
            record, .clientCredentials(grant), service: service, store: store, key: key, options: options)
    }

    /// Gets a token by assertions that a service signs (RFC 7523, section 2.1); it renews itself by signing anew.
    ///
    /// A last save that fails is no error here, as with `authorize`. The key is only referred to in what is stored.
    ///
    /// - Parameters:
    ///   - grant: What is signed, with which key.
    ///   - clientID: The client's identifier; nil takes the grant's issuer, which is then not sent beside the assertion.
    ///   - credential: For providers that want the client to authenticate as well.
    ///   - dpopKey: The key that the tokens shall be bound to (RFC 9449); nil asks for bearer tokens.
    /// - Throws: `AuthStateError` of stage token: `.credentialUnavailable` when the key is not where it should be,
    ///   `.invalidGrant` when the provider does not accept the assertion. What was stored before is then untouched.
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
        var record = Record(
            configuration: configuration, clientID: clientID ?? grant.issuer, credential: credential)
        record.dpopKey = dpopKey
        record.annotations = annotations
        return try await make(record, .jwtBearer(grant), service: service, store: store, key: key, options: options)
    }

    /// Tries the store, asks for the first token, and saves what will renew it.
    private static func make(
        _ empty: Record, _ grant: MachineGrant, service: AuthorizationService, store: any AuthStateStore,
        key: AuthStateKey, options: Options
    ) async throws -> AuthState {
        try await tryStore(store, key, options)
        var record = empty
        record.machineGrant = grant
        var request = grant.request(configuration: record.configuration, clientID: record.clientID)
        request.dpopKey = record.dpopKey
        let tokens = try await service.perform(request, credential: record.credential).answering(request)
        return try await make(
            record, .loggedIn(nil, tokens, requestedScope: grant.scopes.requested), service: service, store: store,
            key: key, options: options)
    }
}
