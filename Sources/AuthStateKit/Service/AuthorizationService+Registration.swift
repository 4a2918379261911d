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
        let provider = request.provider
        try check(message.url, of: provider, stage: .registration)
        let response = try await send(message, addresses: provider.addressPolicy, stage: .registration)
        do { return try response.read(request.answer) } catch var error as AuthStateError {
            // A page for people, for example, tells of no client.
            guard (200...299).contains(response.status), try response.read({ $0.json?.objectValue }) != nil else {
                throw error
            }
            error.message +=
                await undo(response, at: provider)
                ? " The client was deleted again." : " The client exists at the provider: delete it there."
            throw error
        }
    }

    /// Deletes a client whose registration cannot be used; in a task of its own, which the caller's cancellation does not reach.
    private func undo(_ response: GuardedResponse, at provider: ProviderConfiguration) async -> Bool {
        guard let message = try? response.read(RegistrationRequest.undoing) else { return false }
        return await Task {
            do {
                try check(message.url, of: provider, stage: .registration)
                let answer = try await send(message, addresses: provider.addressPolicy, stage: .registration)
                return (200...299).contains(answer.status)
            } catch {
                return false
            }
        }.value
    }

    /// Reads what is registered now (RFC 7592, section 2.1).
    ///
    /// Keep the answer in place of the registration: the provider may have replaced the registration access token.
    ///
    /// - Parameters:
    ///   - registration: The registration, with the URI and the token to manage it.
    ///   - issuer: The provider's issuer. Registrations are managed over TLS, or over http when both are on this
    ///     machine.
    ///   - addressPolicy: The provider's configuration's, see `ProviderConfiguration.addressPolicy`.
    /// - Throws: `AuthStateError` of stage registration: `.endpointMissing` when the registration cannot be managed,
    ///   `.registrationTokenRejected` when the provider rejects its token.
    public func readRegistration(
        _ registration: RegistrationResponse, issuer: Issuer?, addressPolicy: AddressPolicy = .any
    ) async throws -> RegistrationResponse {
        try await manage(RegistrationManagementRequest(.read, registration), issuer, addressPolicy) ?? registration
    }

    /// Replaces what is registered by a request of all metadata, not only what changes, see
    /// `RegistrationRequest(updating:at:)` (RFC 7592, section 2.2).
    ///
    /// Keep the answer in place of the registration: the provider may have replaced the registration access token and the
    /// client's secret.
    ///
    /// - Throws: `AuthStateError` of stage registration, as `readRegistration` does; `.unsupported` when the provider does
    ///   not allow it.
    public func updateRegistration(
        _ registration: RegistrationResponse, to request: RegistrationRequest
    ) async throws -> RegistrationResponse {
        try await manage(
            RegistrationManagementRequest(.update(request), registration), request.provider.issuer,
            request.provider.addressPolicy)
            ?? registration
    }

    /// Deletes a registration, and with it the client's grants and tokens (RFC 7592, section 2.3).
    ///
    /// - Parameters:
    ///   - registration: The registration, with the URI and the token to manage it.
    ///   - issuer: The provider's issuer, see `readRegistration(_:issuer:addressPolicy:)`.
    ///   - addressPolicy: The provider's configuration's, see `ProviderConfiguration.addressPolicy`.
    /// - Throws: `AuthStateError` of stage registration, as `updateRegistration` does.
    public func deleteRegistration(
        _ registration: RegistrationResponse, issuer: Issuer?, addressPolicy: AddressPolicy = .any
    ) async throws {
        _ = try await manage(RegistrationManagementRequest(.delete, registration), issuer, addressPolicy)
    }

    private func manage(
        _ request: RegistrationManagementRequest, _ issuer: Issuer?, _ addresses: AddressPolicy
    ) async throws -> RegistrationResponse? {
        let message = try request.transportRequest()
        try check(message.url, issuer: issuer, addresses: addresses, stage: .registration)
        return try await send(message, addresses: addresses, stage: .registration).read(request.answer)
    }
}
