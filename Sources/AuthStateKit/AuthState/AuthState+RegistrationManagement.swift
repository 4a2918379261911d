public import AuthStateOAuth

extension AuthState {
    /// Reads what is registered now (RFC 7592, section 2.1), and keeps it.
    ///
    /// The provider may replace the registration access token and the client's secret with any answer. So nobody else
    /// manages the registration meanwhile, and the answer is saved before anybody sees it; one that could not be saved is
    /// saved before the provider is asked again. The grant is not touched. Once the provider is being asked, cancelling the
    /// task does not stop it: the answer is waited for, and kept.
    ///
    /// - Throws: `AuthStateError` of stage registration: `.endpointMissing` when there is no registration that can be
    ///   managed, `.registrationTokenRejected` when its token does not count; kind `.store` when the state cannot be written:
    ///   then the provider was not asked. `CancellationError`.
    @discardableResult
    public func readRegistration() async throws -> RegistrationResponse {
        try await manageRegistration(credential: nil) { _, _ in nil }
    }

    /// Changes what is registered (RFC 7592, section 2.2), and keeps what the provider made of it.
    ///
    /// - Parameters:
    ///   - credential: Where the client's new private key is, when the change registers another one; nil leaves it where it
    ///     is. A secret comes from the provider.
    ///   - change: Gets what is registered now, as far as this state knows, and changes it; all of it is sent.
    /// - Throws: As `readRegistration` does, and what the change throws; `.unsupported` when the provider does not allow it.
    @discardableResult
    public func updateRegistration(
        credential: ClientCredential? = nil, _ change: @Sendable (inout RegistrationRequest) throws -> Void
    ) async throws -> RegistrationResponse {
        try await manageRegistration(credential: credential) { registration, configuration in
            var request = try RegistrationRequest(updating: registration, configuration: configuration)
            try change(&request)
            return request
        }
    }

    /// Deletes the registration at the provider (RFC 7592, section 2.3), and forgets it here with whatever was granted to it.
    ///
    /// - Throws: As `updateRegistration` does; nothing is forgotten then. Kind `.store` when the client is deleted and
    ///   that could not be saved.
    public func deleteRegistration() async throws {
        defer { publish() }
        try await transaction { state, lease in try await state.deleteRegistration(under: lease) }
    }

    private func deleteRegistration(under lease: any AuthStateLease) async throws {
        try await synchronize(with: lease)
        let (registration, provider) = (try registration(), record.configuration)
        try Task.checkCancellation()
        try await Task {
            try await service.deleteRegistration(
                registration, issuer: provider.issuer, addressPolicy: provider.addressPolicy)
            apply(.registrationDeleted(clientID: registration.clientID))
            publish()
            try await reporting { try await end(record.grantID, under: lease) }
        }.value
    }

    /// - Parameter update: What shall be registered, from what is; nil only reads it.
    private func manageRegistration(
        credential: ClientCredential?,
        _ update: @Sendable (RegistrationResponse, ServiceConfiguration) throws -> RegistrationRequest?
    ) async throws -> RegistrationResponse {
        try await transaction { state, lease in
            try await state.manageRegistration(credential: credential, update, under: lease)
        }
    }

    private func manageRegistration(
        credential: ClientCredential?,
        _ update: @Sendable (RegistrationResponse, ServiceConfiguration) throws -> RegistrationRequest?,
        under lease: any AuthStateLease
    ) async throws -> RegistrationResponse {
        // With this: a token of an earlier answer that is in memory alone is the only one that still counts.
        defer { publish() }
        try await store(under: lease)
        publish()
        let (registration, provider) = (try registration(), record.configuration)
        let request = try update(registration, provider)
        try await lease.reserve()
        try Task.checkCancellation()
        // A task of its own, which the caller's cancellation does not reach: from here on the token that is known may be
        // replaced, and the new one is in the answer alone.
        return try await Task {
            let response =
                if let request {
                    try await service.updateRegistration(registration, to: request)
                } else {
                    try await service.readRegistration(
                        registration, issuer: provider.issuer, addressPolicy: provider.addressPolicy)
                }
            let own = store.mayBeWrittenByOthers ? credential?.succeeding(record.credential) : credential
            await persist(.registrationChanged(response, credential: own), under: lease)
            return response
        }.value
    }

    private func registration() throws -> RegistrationResponse {
        guard let registration = record.lastRegistrationResponse else {
            throw AuthStateError(
                .endpointMissing, stage: .registration, "This state has no registration.",
                hint: "Only a client that registered itself can manage its registration.")
        }
        return registration
    }
}
