public import AuthStateOAuth
public import AuthStateUserAgent

extension AuthState.Login {
    /// At a page of the provider, which a user agent shows.
    public static func browser(_ request: AuthorizationRequest, _ userAgent: any ExternalUserAgent) -> Self {
        Self(request, \.client) { request, place in
            try await granted(place.service.authorize(request, presenting: userAgent))
        }
    }

    /// At a page of a named client's provider, which is asked for its endpoints first.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - scopes: The scopes to ask for; nil asks for those of a known provider, else for `openid profile email`. Most providers
    ///     give a login that lasts for `offline_access`.
    ///   - redirectURI: The URI that the answer goes to; nil lets the user agent choose.
    ///   - userAgent: Shows the provider's page.
    ///   - prepare: Changes the request before it is sent.
    public static func browser(
        _ client: NamedClient, scopes: [Scope]? = nil, redirectURI: RedirectURI? = nil,
        _ userAgent: any ExternalUserAgent = LoopbackUserAgent(),
        prepare: @escaping @Sendable (_ request: inout AuthorizationRequest) -> Void = { _ in }
    ) -> Self {
        Self(client) { resolved, place in
            var request = client.request(at: resolved.provider, scopes: scopes, redirectURI: redirectURI)
            request.client = resolved
            prepare(&request)
            return try await granted(place.service.authorize(request, presenting: userAgent))
        }
    }

    /// With the answer to a login that `AuthorizationService.begin(_:)` began, perhaps in another process.
    ///
    /// An archived login has no credential: set `pending.client` to the program's client, if that has one.
    public static func callback(_ callback: AuthorizationCallback, of pending: PendingAuthorization) -> Self {
        Self(pending, \.client) { pending, place in
            try await granted(place.service.complete(pending, callback: callback))
        }
    }

    /// On another device (RFC 8628).
    ///
    /// The login throws `.accessDenied` when the user refuses, `.deviceCodeExpired` when the user does not confirm in
    /// time, and the errors of `present`.
    ///
    /// `present` shows `userCode` and `verificationURI` to the user, and perhaps opens or draws `verificationURIComplete`.
    /// When it returns, the provider is polled for the tokens until the user has decided.
    public static func device(
        _ request: DeviceAuthorizationRequest,
        present: @escaping @Sendable (DeviceAuthorizationResponse) async throws -> Void
    ) -> Self {
        Self(request, \.client) { request, place in
            let response = try await place.service.authorizeDevice(request)
            try await present(response)
            return try await wait(for: response, at: place)
        }
    }

    /// On another device (RFC 8628), by a named client; otherwise as `device(_:present:)`.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - scopes: The scopes to ask for; nil asks for `openid profile email`.
    ///   - present: Shows `userCode` and `verificationURI` to the user.
    public static func device(
        _ client: NamedClient, scopes: [Scope]? = nil,
        present: @escaping @Sendable (DeviceAuthorizationResponse) async throws -> Void
    ) -> Self {
        Self(client) { resolved, place in
            let scopes = scopes ?? [.openID, .profile, .email]
            return try await device(DeviceAuthorizationRequest(resolved, scopes: scopes), present: present)
                .grant(at: place)
        }
    }

    /// On another device, with codes that `AuthorizationService.authorizeDevice(_:)` fetched, perhaps in another
    /// process: waits until the user has decided. Archived codes have no credential, see `callback(_:of:)`.
    public static func deviceCode(_ response: DeviceAuthorizationResponse) -> Self {
        Self(response, \.request.client, grant: wait)
    }

    /// With CIBA (OpenID Connect CIBA Core 1.0): the provider asks the user, for example on their phone, whether this
    /// client may log them in.
    ///
    /// The login throws what `AuthorizationService.authorizeBackchannel(_:)` and its `pollTokens` throw, `.accessDenied`
    /// when the user refuses, and the errors of `present`.
    ///
    /// `present` tells the user that the provider asks them now, and shows the request's `bindingMessage` to compare.
    /// When it returns, the provider is polled for the tokens until the user has decided.
    public static func backchannel(
        _ request: BackchannelAuthenticationRequest,
        present: @escaping @Sendable (BackchannelAuthenticationResponse) async throws -> Void = { _ in }
    ) -> Self {
        Self(request, \.client) { request, place in
            let response = try await place.service.authorizeBackchannel(request)
            try await present(response)
            return try await wait(for: response, at: place)
        }
    }

    /// With CIBA, as `AuthorizationService.authorizeBackchannel(_:)` began it, perhaps in another process: waits until
    /// the user has decided. An archived answer has no credential, see `callback(_:of:)`.
    public static func backchannel(_ response: BackchannelAuthenticationResponse) -> Self {
        Self(response, \.request.client, grant: wait)
    }

    /// Without a user, in the client's own name (RFC 6749, section 4.4); the client's credential renews the tokens.
    ///
    /// - Parameters:
    ///   - client: The client, with its credential.
    ///   - scopes: The scopes to ask for; empty leaves them to the provider.
    ///   - resources: The resources that the token is for, absolute URIs (RFC 8707); kept for renewals, as the scopes
    ///     are.
    ///   - additionalParameters: Additional parameters that the provider understands; kept for renewals too.
    ///   - dpopKey: The key to bind the tokens to (RFC 9449); nil asks for bearer tokens.
    public static func clientCredentials(
        _ client: Client, scopes: [Scope] = [], resources: [String] = [], additionalParameters: Parameters = [:],
        dpopKey: DPoPKey? = nil
    ) -> Self {
        let grant = AuthState.ClientCredentialsGrant(
            scopes: scopes, resources: resources, additionalParameters: additionalParameters)
        return Self(.clientCredentials(grant), .client(client), dpopKey)
    }

    /// Without a user, in the name of a named client; otherwise as the one above.
    ///
    /// - Parameters:
    ///   - client: The client, with its credential.
    ///   - scopes: The scopes to ask for; empty leaves them to the provider.
    ///   - resources: The resources that the token is for, absolute URIs (RFC 8707).
    public static func clientCredentials(
        _ client: NamedClient, scopes: [Scope] = [], resources: [String] = []
    ) -> Self {
        Self(
            .clientCredentials(AuthState.ClientCredentialsGrant(scopes: scopes, resources: resources)), .named(client),
            nil)
    }

    /// Without a user, with an assertion that the program signs (RFC 7523, section 2.1); each renewal signs a new one.
    ///
    /// The stored state only refers to the key. The login throws `.credentialUnavailable` when the key is not where it
    /// should be, `.invalidGrant` when the provider does not accept the assertion.
    ///
    /// - Parameters:
    ///   - grant: The assertion to sign, and its key.
    ///   - client: The client; one whose identifier is the grant's issuer is not named beside the assertion.
    ///   - dpopKey: The key to bind the tokens to (RFC 9449); nil asks for bearer tokens.
    public static func jwtBearer(_ grant: JWTBearerGrant, _ client: Client, dpopKey: DPoPKey? = nil) -> Self {
        Self(.jwtBearer(grant), .client(client), dpopKey)
    }

    /// Without a user, with an assertion of a service account that is the client itself.
    ///
    /// - Parameters:
    ///   - grant: The assertion to sign, and its key; its issuer is the client's identifier.
    ///   - provider: The provider that accepts the assertion.
    ///   - dpopKey: The key to bind the tokens to (RFC 9449); nil asks for bearer tokens.
    public static func jwtBearer(
        _ grant: JWTBearerGrant, at provider: ProviderConfiguration, dpopKey: DPoPKey? = nil
    ) -> Self {
        jwtBearer(grant, Client(provider, id: grant.issuer), dpopKey: dpopKey)
    }

    /// With an assertion that another party signs (RFC 7523, section 2.1): the platform that the program runs on, or an
    /// identity provider; each renewal reads another one.
    ///
    /// The stored state only refers to the assertion. The login throws `.credentialUnavailable` when there is none where it
    /// should be, `.invalidGrant` when the provider does not accept it.
    ///
    /// - Parameters:
    ///   - assertion: Where the assertion is, see `ClientCredential.assertion(file:)`.
    ///   - client: The client; one with an empty identifier is not named beside the assertion.
    ///   - scopes: The scopes to ask for; empty leaves them to the provider.
    ///   - resources: The resources that the token is for, absolute URIs (RFC 8707).
    ///   - additionalParameters: Additional parameters that the provider understands.
    ///   - dpopKey: The key to bind the tokens to (RFC 9449); nil asks for bearer tokens.
    public static func assertion(
        _ assertion: ClientCredential, _ client: Client, scopes: [Scope] = [], resources: [String] = [],
        additionalParameters: Parameters = [:], dpopKey: DPoPKey? = nil
    ) -> Self {
        let grant = AssertionGrant(
            assertion, scopes: scopes, resources: resources, additionalParameters: additionalParameters)
        return Self(.assertion(grant), .client(client), dpopKey)
    }

    /// With an assertion that another party signs, which alone says who asks: no client stands beside it.
    ///
    /// - Parameters:
    ///   - assertion: Where the assertion is, see `ClientCredential.assertion(file:)`.
    ///   - provider: The provider that accepts the assertion.
    ///   - scopes: The scopes to ask for; empty leaves them to the provider.
    ///   - resources: The resources that the token is for, absolute URIs (RFC 8707).
    ///   - additionalParameters: Additional parameters that the provider understands.
    ///   - dpopKey: The key to bind the tokens to (RFC 9449); nil asks for bearer tokens.
    public static func assertion(
        _ assertion: ClientCredential, at provider: ProviderConfiguration, scopes: [Scope] = [],
        resources: [String] = [], additionalParameters: Parameters = [:], dpopKey: DPoPKey? = nil
    ) -> Self {
        .assertion(
            assertion, Client(provider, id: ""), scopes: scopes, resources: resources,
            additionalParameters: additionalParameters, dpopKey: dpopKey)
    }

    private static func granted(
        _ answer: (AuthorizationResponse, TokenResponse)
    ) -> (AuthState.Record, AuthState.Event) {
        (AuthState.Record(answer.0.request.client), .loggedIn(answer.0, answer.1))
    }

    /// Waits until the user has decided; the store is tried once more, because showing the codes may have taken long.
    private static func wait(
        for response: some PolledLoginResponse, at place: AuthState.Place
    ) async throws -> (AuthState.Record, AuthState.Event) {
        try await place.tryStore()
        let tokens = try await place.service.poll(response)
        var record = AuthState.Record(response.request.client)
        record.dpopKey = response.request.dpopKey
        record.resources = response.request.resources
        return (record, .loggedIn(nil, tokens, requestedScope: response.request.scopes.requested))
    }
}
