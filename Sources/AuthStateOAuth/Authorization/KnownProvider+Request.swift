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
