public import AuthStateOAuth

/// What a session logs in with: the provider, the client, and what to ask for.
public struct AuthSessionConfiguration: Sendable {
    /// Where people log in, see `NamedProvider`.
    public typealias Provider = NamedProvider

    /// Where people log in.
    public var provider: Provider
    /// The client's identifier.
    public var clientID: String
    /// Where the answer goes; nil lets the user agent choose.
    public var redirectURI: RedirectURI?
    /// What is asked for; nil asks for what a known provider lists, and for `openid profile email` elsewhere.
    public var scopes: [Scope]?
    /// How the client proves who it is, to the provider above and to no other; an app has no secret to do it with.
    public var credential: ClientCredential = .none
    /// Whatever else the provider understands, in every login.
    public var additionalParameters: Parameters = [:]
    /// Changes each request before it is sent, for example its resources, its DPoP key or its languages.
    public var prepare: @Sendable (_ request: inout AuthorizationRequest) -> Void = { _ in }
    /// Where the browser comes back to after a logout; nil is the redirect URI of the login.
    public var postLogoutRedirectURI: RedirectURI?
    /// Whether a sign-in asks the userinfo endpoint for more about the person, where there is one.
    public var readsUserInfo = true
    /// How userinfo is asked for.
    public var userInfoOptions = UserInfoOptions()
    /// How long a sign-in waits for userinfo; after it, the ID token has to do.
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
    /// The credential, bound to the provider.
    var boundCredential: ClientCredential {
        credential.custody == .request ? credential.sent(onlyTo: provider) : credential
    }

    /// A new request for a login; the provider is asked for its metadata when they are not known.
    ///
    /// - Throws: `AuthStateError` of stage discovery, or `CancellationError`.
    func request(_ service: AuthorizationService) async throws -> AuthorizationRequest {
        request(at: try await service.configuration(of: provider))
    }

    /// A new request for a login at a provider with this metadata.
    func request(at configuration: ServiceConfiguration) -> AuthorizationRequest {
        var request =
            if case .known(let provider) = provider {
                provider.request(
                    configuration: configuration, clientID: clientID, scopes: scopes, redirectURI: redirectURI)
            } else {
                AuthorizationRequest(
                    configuration: configuration, clientID: clientID, scopes: scopes ?? [.openID, .profile, .email],
                    redirectURI: redirectURI)
            }
        request.additionalParameters.merge(additionalParameters)
        prepare(&request)
        return request
    }
}
