import AuthStateKit
public import AuthStateOAuth

/// The configuration of a session: the provider, the client, and what to ask for.
public struct AuthSessionConfiguration: Sendable {
    /// The provider that users log in at, see `NamedProvider`.
    public typealias Provider = NamedProvider

    /// The provider that users log in at.
    public var provider: Provider
    /// The client's identifier.
    public var clientID: String
    /// The URI that the answer goes to; nil lets the user agent choose.
    public var redirectURI: RedirectURI?
    /// The scopes to ask for; nil asks for those that a known provider lists, and for `openid profile email` elsewhere.
    public var scopes: [Scope]?
    /// The client's credential, sent to the provider above and to no other; an app has no secret to authenticate with.
    public var credential: ClientCredential = .none
    /// Further parameters that the provider understands, for every login.
    public var additionalParameters: Parameters = [:]
    /// Changes each request before it is sent, for example its resources, its DPoP key or its languages.
    public var prepare: @Sendable (_ request: inout AuthorizationRequest) -> Void = { _ in }
    /// The URI that the browser returns to after a logout; nil is the redirect URI of the login.
    public var postLogoutRedirectURI: RedirectURI?
    /// Whether a sign-in reads more about the user from the userinfo endpoint, where there is one.
    public var readsUserInfo = true
    /// The options of userinfo requests.
    public var userInfoOptions = UserInfoOptions()
    /// The time that a sign-in waits for userinfo; after it, the claims of the ID token are all there is.
    public var userInfoDeadline: Duration = .seconds(10)
    /// Kept with the state, see `AuthState.Record.annotations`.
    public var annotations: [String: String] = [:]

    /// Makes a configuration.
    public init(_ provider: Provider, clientID: String, redirectURI: RedirectURI? = nil, scopes: [Scope]? = nil) {
        self.provider = provider
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scopes = scopes
    }
}

extension AuthSessionConfiguration {
    /// The client of the session.
    var client: NamedClient { NamedClient(provider, id: clientID, credential: credential) }

    /// Returns a new request for a login; asks the provider for its metadata when they are not known.
    ///
    /// - Throws: `AuthStateError` of stage discovery, or `CancellationError`.
    func request(_ service: AuthorizationService) async throws -> AuthorizationRequest {
        request(at: try await service.configuration(of: provider))
    }

    /// Returns a new request for a login at a provider with this metadata.
    func request(at configuration: ProviderConfiguration) -> AuthorizationRequest {
        var request = client.request(at: configuration, scopes: scopes, redirectURI: redirectURI)
        request.additionalParameters.merge(additionalParameters)
        prepare(&request)
        return request
    }
}
