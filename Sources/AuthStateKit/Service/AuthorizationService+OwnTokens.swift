public import AuthStateOAuth

extension AuthorizationService {
    /// Revokes a token at the provider (RFC 7009); a token that the provider no longer knows counts as revoked.
    ///
    /// - Throws: `AuthStateError` of stage logout, `.endpointMissing` when the provider has no revocation endpoint;
    ///   `CancellationError`.
    public func revoke(_ request: RevocationRequest, credential: ClientCredential = .none) async throws {
        try await answer(to: request, credential).read(request.validate)
    }

    /// Asks the provider about a token of the client's own (RFC 7662).
    ///
    /// - Throws: `AuthStateError` of stage token: `.endpointMissing` when the provider has no introspection endpoint,
    ///   `.invalidClient` when it does not serve this client; `CancellationError`.
    public func introspect(
        _ request: IntrospectionRequest, credential: ClientCredential = .none
    ) async throws -> IntrospectionResponse {
        try await answer(to: request, credential).read { try IntrospectionResponse($0) }
    }

    private func answer<Purpose>(
        to request: OwnTokenRequest<Purpose>, _ credential: ClientCredential
    ) async throws -> GuardedResponse {
        var request = request
        request.configuration = request.configuration.endpoints(for: credential)
        let endpoint = try request.endpoint
        try check(endpoint, of: request.configuration, stage: Purpose.stage)
        let authentication = try await authentication(
            of: credential, clientID: request.clientID, service: request.configuration, endpoint: endpoint,
            stage: Purpose.stage)
        return try await send(
            try request.transportRequest(authentication: authentication),
            addresses: request.configuration.addressPolicy, stage: Purpose.stage)
    }
}
