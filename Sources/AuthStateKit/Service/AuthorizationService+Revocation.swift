public import AuthStateOAuth

extension AuthorizationService {
    /// Asks the provider to forget a token (RFC 7009); one that it does not know any more counts as forgotten.
    ///
    /// - Throws: `AuthStateError` of stage logout, `.endpointMissing` when the provider has no revocation endpoint;
    ///   `CancellationError`.
    public func revoke(_ request: RevocationRequest, credential: ClientCredential = .none) async throws {
        var request = request
        request.configuration = request.configuration.endpoints(for: credential)
        let endpoint = try request.endpoint
        try check(endpoint, issuer: request.configuration.issuer, stage: .logout)
        let authentication = try credential.authentication(
            clientID: request.clientID, service: request.configuration, endpoint: endpoint,
            now: configuration.clock.now, stage: .logout)
        let message = try request.transportRequest(authentication: authentication)
        try request.validate(try await send(message, stage: .logout))
    }
}
