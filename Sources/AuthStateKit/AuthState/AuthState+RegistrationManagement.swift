public import AuthStateOAuth
import AuthStateStorage

extension AuthState {
    /// Reads the current registration (RFC 7592, section 2.1), and keeps it.
    ///
    /// The provider may replace the registration access token and the client's secret with any answer. So the lease is
    /// held meanwhile: no other caller or process manages the registration, and the answer is saved before the caller
    /// gets it. An answer that could not be saved is saved before the provider is asked again. The grant is unchanged.
    /// Once the provider is being asked, cancelling the task does not stop it: the answer is awaited and kept.
    ///
    /// - Throws: `AuthStateError` of stage registration: `.endpointMissing` when there is no registration that can be
    ///   managed, `.registrationTokenRejected` when the provider rejects its token; kind `.store` when the state cannot
    ///   be written: then the provider was not asked. `CancellationError`.
    @discardableResult
    public func readRegistration() async throws -> RegistrationResponse {
        try await manageRegistration { _, _ in nil }
    }

    /// Changes the registration as far as this state knows it (RFC 7592, section 2.2), sends all of it, and keeps the
    /// provider's answer.
    ///
    /// The credential is the client's new private key, when the change registers another one; nil keeps the current one. A
    /// secret comes from the provider.
    ///
    /// - Throws: As `readRegistration`, and the errors of `change`; `.unsupported` when the provider does not allow it.
    @discardableResult
    public func updateRegistration(
        credential: ClientCredential? = nil, _ change: @Sendable (inout RegistrationRequest) throws -> Void
    ) async throws -> RegistrationResponse {
        try await manageRegistration(credential: credential) { registration, configuration in
            var request = try RegistrationRequest(updating: registration, at: configuration)
            try change(&request)
            return request
        }
    }

    /// Deletes the registration at the provider (RFC 7592, section 2.3), and forgets it here with the grant.
    ///
    /// - Throws: As `updateRegistration`; nothing is forgotten then. Kind `.store` when the client is deleted and that
    ///   could not be saved.
    public func deleteRegistration() async throws {
        try await transaction { lease in
            try await synchronize(with: lease)
            let (registration, provider) = (try registration(), newest.client.provider)
            try Task.checkCancellation()
            try await Task {
                try await service.deleteRegistration(
                    registration, issuer: provider.issuer, addressPolicy: provider.addressPolicy)
                apply(.registrationDeleted(clientID: registration.clientID))
                try await reporting { try await perform(Storing(endOf: newest.grantID), under: lease) }
            }.value
        }
    }

    /// - Parameter update: Makes the new registration from the current one; nil only reads it.
    private func manageRegistration(
        credential: ClientCredential? = nil,
        _ update: (RegistrationResponse, ProviderConfiguration) throws -> RegistrationRequest?
    ) async throws -> RegistrationResponse {
        try await transaction { lease in
            // Unsaved changes are saved first: a token of an earlier answer that is in memory alone is the only valid one.
            try await perform(Storing(), under: lease)
            let (registration, provider) = (try registration(), newest.client.provider)
            let request = try update(registration, provider)
            try await lease.reserve()
            try Task.checkCancellation()
            // A separate task, which the caller's cancellation does not reach: from here on the known token may be
            // replaced, and the new one is in the answer alone.
            return try await Task {
                let response =
                    if let request {
                        try await service.updateRegistration(registration, to: request)
                    } else {
                        try await service.readRegistration(
                            registration, issuer: provider.issuer, addressPolicy: provider.addressPolicy)
                    }
                let own = store.mayBeWrittenByOthers ? credential?.succeeding(newest.client.credential) : credential
                apply(.registrationChanged(response, credential: own))
                await persist(under: lease)
                return response
            }.value
        }
    }

    private func registration() throws -> RegistrationResponse {
        guard let registration = newest.lastRegistrationResponse else {
            throw AuthStateError(
                .endpointMissing, stage: .registration, "This state has no registration.",
                hint: "Only a client that registered itself can manage its registration.")
        }
        return registration
    }
}
