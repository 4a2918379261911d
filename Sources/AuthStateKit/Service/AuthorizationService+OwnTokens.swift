public import AuthStateOAuth

extension AuthorizationService {
    /// Revokes a token at the provider (RFC 7009); a token that the provider no longer knows counts as revoked.
    ///
    /// - Throws: `AuthStateError` of stage logout, `.endpointMissing` when the provider has no revocation endpoint;
    ///   `CancellationError`.
    public func revoke(_ request: RevocationRequest) async throws {
        do { try await answer(to: request).read(request.validate) } catch let error as AuthStateError
            where request.lacksSecretField(error)
        {
            // Empty is the same as left out (RFC 6749, section 2.3.1); servers of the Python MCP SDK want the field.
            var request = request
            request.additionalParameters["client_secret"] = ""
            try await answer(to: request).read(request.validate)
        }
    }

    /// Asks the provider about a token of the client's own (RFC 7662).
    ///
    /// - Throws: `AuthStateError` of stage token: `.endpointMissing` when the provider has no introspection endpoint,
    ///   `.invalidClient` when it does not serve this client; `CancellationError`.
    public func introspect(_ request: IntrospectionRequest) async throws -> IntrospectionResponse {
        try await answer(to: request).read { try IntrospectionResponse($0) }
    }

    /// Revokes tokens of a client, the refresh token first: with it most providers end the whole grant.
    ///
    /// Access tokens that the provider cannot revoke are ignored when the refresh token was revoked: they expire soon.
    func revoke(refreshToken: String?, accessTokens: [String], of client: Client) async throws {
        func revoke(_ token: String, _ kind: TokenTypeHint) async throws {
            try Task.checkCancellation()
            try await self.revoke(RevocationRequest(client, token: token, tokenTypeHint: kind))
        }
        if let refreshToken { try await revoke(refreshToken, .refreshToken) }
        do { for token in accessTokens { try await revoke(token, .accessToken) } } catch let error as AuthStateError
            where error.code == .revocationUnsupported && refreshToken != nil
        {}
    }

    /// Revokes tokens that will not be used, as far as the provider supports it; also for a task that was cancelled.
    package func giveBack(_ tokens: TokenResponse, of client: Client) async {
        guard client.provider.revocationEndpoint != nil else { return }
        let task = Task {
            try? await revoke(refreshToken: tokens.refreshToken, accessTokens: [tokens.accessToken], of: client)
        }
        await task.value
    }

    private func answer<Request: OwnTokenRequest>(to request: Request) async throws -> GuardedResponse {
        var request = request
        request.client = request.client.atItsEndpoints
        let endpoint = try request.endpoint
        try check(endpoint, of: request.client.provider, stage: Request.stage)
        let authentication = try await authentication(of: request.client, endpoint: endpoint, stage: Request.stage)
        return try await send(
            try request.transportRequest(authentication: authentication),
            addresses: request.client.provider.addressPolicy, stage: Request.stage)
    }
}

extension RevocationRequest {
    /// Whether a server refused the request of a public client because its form has no field for a secret.
    fileprivate func lacksSecretField(_ error: AuthStateError) -> Bool {
        client.credential == .none && additionalParameters["client_secret"] == nil && error.code == .invalidRequest
            && error.response?.errorDescription?.contains("client_secret") == true
    }
}
