public import AuthStateOAuth

extension AuthorizationService {
    /// Registers a client (RFC 7591).
    ///
    /// - Throws: `AuthStateError` of stage registration.
    public func register(_ request: RegistrationRequest) async throws -> RegistrationResponse {
        let message = try request.transportRequest()
        try check(message.url, issuer: request.configuration.issuer, stage: .registration)
        return try RegistrationResponse(try await send(message, stage: .registration))
    }
}
