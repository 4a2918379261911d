public import AuthStateOAuth

extension AuthorizationService {
    /// Registers a client (RFC 7591).
    ///
    /// A client whose registration cannot be used is deleted again, where the provider said how (RFC 7592, section 2.3); the
    /// error says whether it was.
    ///
    /// - Throws: `AuthStateError` of stage registration.
    public func register(_ request: RegistrationRequest) async throws -> RegistrationResponse {
        let message = try request.transportRequest()
        try check(message.url, issuer: request.configuration.issuer, stage: .registration)
        let response = try await send(message, stage: .registration)
        do { return try request.answer(response) } catch var error as AuthStateError {
            guard (200...299).contains(response.status) else { throw error }
            error.message +=
                await undo(response, issuer: request.configuration.issuer)
                ? " The client was deleted again." : " The client exists at the provider: delete it there."
            throw error
        }
    }

    /// Deletes a client that was registered for nothing; also in a task that was cancelled, for nobody else can do it.
    private func undo(_ response: TransportResponse, issuer: Issuer?) async -> Bool {
        guard let message = RegistrationRequest.undoing(response) else { return false }
        return await Task {
            do {
                try check(message.url, issuer: issuer, stage: .registration)
                return (200...299).contains(try await send(message, stage: .registration).status)
            } catch {
                return false
            }
        }.value
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
