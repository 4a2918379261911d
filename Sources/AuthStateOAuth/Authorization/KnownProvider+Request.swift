extension KnownProvider {
    /// An authorization request with this provider's parameters.
    ///
    /// - Parameters:
    ///   - client: The client; for its provider see `AuthorizationService.configuration(of:)`.
    ///   - scopes: The scopes to ask for; nil asks for `scopes`.
    ///   - redirectURI: The URI that the answer goes to; nil lets the user agent choose.
    public func request(
        _ client: Client, scopes: [Scope]? = nil, redirectURI: RedirectURI? = nil
    ) -> AuthorizationRequest {
        var request = AuthorizationRequest(client, scopes: scopes ?? self.scopes, redirectURI: redirectURI)
        request.prompt = prompt
        // The table has the prompts that it needs.
        request.asksConsentForOfflineAccess = false
        request.additionalParameters = additionalParameters
        if !formPostScopes.isDisjoint(with: request.scopes) { request.responseMode = .formPost }
        return request
    }
}

extension NamedClient {
    /// Returns a new request; without scopes for those of a known provider, else for `openid profile email`.
    package func request(
        at configuration: ProviderConfiguration, scopes: [Scope]?, redirectURI: RedirectURI?
    ) -> AuthorizationRequest {
        let client = client(at: configuration)
        if case .known(let provider) = provider {
            return provider.request(client, scopes: scopes, redirectURI: redirectURI)
        }
        return AuthorizationRequest(client, scopes: scopes ?? [.openID, .profile, .email], redirectURI: redirectURI)
    }
}
