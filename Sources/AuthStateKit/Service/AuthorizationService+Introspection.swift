public import AuthStateOAuth

extension AuthorizationService {
    /// Asks the provider about a token of the client's own (RFC 7662).
    ///
    /// - Throws: `AuthStateError` of stage token: `.endpointMissing` when the provider has no introspection endpoint,
    ///   `.invalidClient` when it does not serve this client; `CancellationError`.
    public func introspect(
        _ request: IntrospectionRequest, credential: ClientCredential = .none
    ) async throws -> IntrospectionResponse {
        var request = request
        request.configuration = request.configuration.endpoints(for: credential)
        let endpoint = try request.endpoint
        try check(endpoint, issuer: request.configuration.issuer, stage: .token)
        let authentication = try credential.authentication(
            clientID: request.clientID, service: request.configuration, endpoint: endpoint,
            now: configuration.clock.now, stage: .token)
        let message = try request.transportRequest(authentication: authentication)
        return try IntrospectionResponse(try await send(message, stage: .token))
    }
}
