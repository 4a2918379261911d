public import AuthStateOAuth

extension AuthState {
    /// Asks the provider about this state's access or refresh token (RFC 7662); from an error state too.
    ///
    /// The token is not renewed first, fresh or not, and the answer does not change the state.
    ///
    /// - Throws: `AuthStateError` of stage token: `.endpointMissing` when the provider has no introspection endpoint,
    ///   `.invalidClient` when it does not serve this client; `.notLoggedIn` without such a token. `CancellationError`.
    public nonisolated func introspect(_ kind: TokenTypeHint = .accessToken) async throws -> IntrospectionResponse {
        try await notice()
        let record = self.record
        let token = kind == .refreshToken ? record.refreshToken : record.lastTokenResponse?.accessToken
        guard let token else {
            guard record.lastTokenResponse != nil else { throw AuthStateError.noUserIsLoggedIn }
            throw AuthStateError(.noRefreshToken, stage: .token, "There is no refresh token to ask about.")
        }
        return try await service.introspect(IntrospectionRequest(record.client, token: token, tokenTypeHint: kind))
    }
}
