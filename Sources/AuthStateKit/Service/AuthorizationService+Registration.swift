public import AuthStateOAuth

extension AuthorizationService {
    /// Registers a client (RFC 7591).
    ///
    /// - Throws: `AuthStateError` of stage registration.
    public func register(_ request: RegistrationRequest) async throws -> RegistrationResponse {
        let message = try request.transportRequest()
        try check(message.url, issuer: request.configuration.issuer, stage: .registration)
        return try request.answer(try await send(message, stage: .registration))
    }

    /// Reads what is registered now (RFC 7592, section 2.1).
    ///
    /// Keep the answer in place of the registration: the provider may have replaced the registration access token.
    ///
    /// - Parameter issuer: The provider's; its registrations are managed over TLS, or on this machine beside it.
    /// - Throws: `AuthStateError` of stage registration: `.endpointMissing` when the registration cannot be managed,
    ///   `.registrationTokenRejected` when its token does not count.
    public func readRegistration(
        _ registration: RegistrationResponse, issuer: Issuer?
    ) async throws -> RegistrationResponse {
        try await manage(RegistrationManagementRequest(.read, registration), issuer: issuer) ?? registration
    }

    /// Replaces what is registered (RFC 7592, section 2.2).
    ///
    /// Keep the answer in place of the registration: the provider may have replaced the registration access token and the
    /// client's secret.
    ///
    /// - Parameter request: All metadata, not only what changes: see `RegistrationRequest(updating:configuration:)`.
    /// - Throws: `AuthStateError` of stage registration, as `readRegistration` does; `.unsupported` when the provider does
    ///   not allow it.
    public func updateRegistration(
        _ registration: RegistrationResponse, to request: RegistrationRequest
    ) async throws -> RegistrationResponse {
        try await manage(
            RegistrationManagementRequest(.update(request), registration), issuer: request.configuration.issuer)
            ?? registration
    }

    /// Deletes a registration, and with it the client's grants and tokens (RFC 7592, section 2.3).
    ///
    /// - Throws: `AuthStateError` of stage registration, as `updateRegistration` does.
    public func deleteRegistration(_ registration: RegistrationResponse, issuer: Issuer?) async throws {
        _ = try await manage(RegistrationManagementRequest(.delete, registration), issuer: issuer)
    }

    private func manage(_ request: RegistrationManagementRequest, issuer: Issuer?) async throws -> RegistrationResponse?
    {
        try check(request.endpoint, issuer: issuer, stage: .registration)
        return try request.answer(try await send(request.transportRequest(), stage: .registration))
    }
}
