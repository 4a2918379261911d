extension NamedClient {
    /// Returns a new request for a login at a provider with this metadata.
    ///
    /// - Parameter scopes: The scopes to ask for; nil asks for those of a known provider, else for `openid profile email`.
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
