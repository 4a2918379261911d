import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
public import AuthStateStorage
public import AuthStateTransport

extension AuthState {
    /// Returns a state that is logged in and fresh, for tests; needs no provider and no network.
    ///
    /// ```swift
    /// let (clock, transport) = (ManualClock(), ScriptedTransport())
    /// let authState = await AuthState.signedIn(claims: ["name": "Ada"], clock: clock, transport: transport)
    /// #expect(authState.user?.name == "Ada")
    /// clock.advance(by: .seconds(3600))
    /// transport.enqueue(.invalidGrant)  // what the provider answers to the renewal
    /// ```
    ///
    /// The state is saved in the store, for the program to restore. Its client is `app`, its issuer `https://provider.invalid`, which
    /// does not exist.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - lifetime: The time until the access token expires.
    ///   - refreshToken: The refresh token; nil for a login that cannot be renewed.
    ///   - scopes: The granted scopes.
    ///   - claims: Claims of the ID token, which counts as verified; `sub` is `user` unless it is given.
    ///   - clock: The clock of the service, for expiry and for waiting.
    ///   - transport: Answers the requests: renewals, and those of `performAction`.
    ///   - store: The store that keeps the state.
    ///   - key: The key of the state in the store.
    ///   - options: The options of the state; nil are those of every state, but that no renewal is repeated: the pause before a
    ///     repetition would wait for a test to move the clock.
    public static func signedIn(
        _ accessToken: String = "access-token", expiring lifetime: Duration = .seconds(3600),
        refreshToken: String? = "refresh-token", scopes: [Scope] = [.openID, .profile],
        claims: [String: JSONValue] = [:], clock: ManualClock = ManualClock(),
        transport: any HTTPTransport = ScriptedTransport(), store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default, options: Options? = nil
    ) async -> AuthState {
        let issuer = "https://provider.invalid"
        func endpoint(_ name: String) -> URL { URL(string: "\(issuer)/\(name)")! }
        let configuration = ProviderConfiguration(
            issuer: try? Issuer(issuer), authorizationEndpoint: endpoint("authorize"), tokenEndpoint: endpoint("token"),
            jwksURI: endpoint("keys"), userInfoEndpoint: endpoint("userinfo"), revocationEndpoint: endpoint("revoke"))
        let now = clock.date
        let expiry = now.addingTimeInterval(lifetime.inSeconds)
        let base: [String: JSONValue] = [
            "iss": .string(issuer), "sub": "user", "aud": "app",
            "iat": .number(JSONNumber(Int64(now.timeIntervalSince1970))),
            "exp": .number(JSONNumber(Int64(expiry.timeIntervalSince1970))),
        ]
        func encoded(_ members: [String: JSONValue]) -> String {
            Base64URL.encode(JSONValue.object(members).serialized())
        }
        var tokens = TokenResponse(
            accessToken: accessToken, issuedAt: now, accessTokenExpirationDate: expiry, refreshToken: refreshToken,
            idToken: "\(encoded(["alg": "none"])).\(encoded(base.merging(claims) { $1 })).",
            scope: scopes.map(\.rawValue).joined(separator: " "))
        tokens.idTokenTrust = .signature
        let service = AuthorizationService(
            transport: transport, configuration: AuthorizationService.Configuration(clock: clock))
        var unrepeated = Options()
        unrepeated.renewalRetries = 0
        let place = Place(store, key: key, service: service, options: options ?? unrepeated)
        return await place.state(Record(Client(configuration, id: "app")), .loggedIn(nil, tokens))
    }
}

extension ScriptedTransport.Reply {
    /// Answers as a token endpoint does.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - lifetime: The time until it expires.
    ///   - refreshToken: The next refresh token; nil leaves the one before.
    public static func tokens(
        _ accessToken: String, expiring lifetime: Duration = .seconds(3600), refreshToken: String? = nil
    ) -> Self {
        var members: [String: JSONValue] = [
            "access_token": .string(accessToken), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(Int64(lifetime.inSeconds))),
        ]
        members["refresh_token"] = refreshToken.map { .string($0) }
        return .json(String(decoding: JSONValue.object(members).serialized(), as: UTF8.self))
    }

    /// Refuses a renewal for good: the grant has ended.
    public static let invalidGrant = Self.json(#"{"error":"invalid_grant"}"#, status: 400)

    /// Fails as a machine without network does.
    public static let offline = Self.failure(
        TransportError(.unreachable, "There is no network.", requestMayHaveBeenSent: false))
}
