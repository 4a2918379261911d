import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Session {
    /// The client that was registered here at this provider, if its secret still counts.
    ///
    /// - Throws: `AuthStateError` of kind usage when something else is kept here, which registering would replace.
    func registration(at configuration: ServiceConfiguration, now: Date) async throws -> RegistrationResponse? {
        guard try await !isEmpty() else { return nil }
        let record = try await load().record
        guard let registration = record.lastRegistrationResponse,
            record.configuration.issuer == configuration.issuer, record.clientID == registration.clientID
        else {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "A login of another client is kept here.",
                expected: "no login, or a registration at this provider",
                hint: "Name another login with --profile, or remove this one with 'authstate logout'.")
        }
        let isOver = registration.clientSecretExpiresAt.map { $0 <= now } ?? false
        return isOver ? nil : registration
    }

    /// Runs a body with the state of a client that registered itself here.
    ///
    /// - Throws: `AuthStateError` of kind usage when there is none.
    func withRegistration<R>(_ body: nonisolated(nonsending) (AuthState) async throws -> R) async throws -> R {
        let record = try await isEmpty() ? nil : load().record
        guard record?.lastRegistrationResponse != nil else {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "No client was registered here.",
                hint: "Choose the registration with --state or --profile; 'authstate logout' ends a login.")
        }
        return try await withState(body)
    }

    /// Keeps a client that was registered; nobody is logged in by that.
    func keep(
        _ registration: RegistrationResponse, at configuration: ServiceConfiguration, credential: ClientCredential,
        settings: Settings, service: AuthorizationService
    ) async throws {
        var record = AuthState.Record(
            configuration: configuration, clientID: registration.clientID, credential: credential)
        record.annotations = settings.annotations
        let version = try await isEmpty() ? nil : load().version
        let state = AuthState(
            record, service: service, store: store, key: key, storedVersion: version, options: options(settings))
        try await state.update(with: registration)
        try await state.save()
    }
}

extension AuthState.Record {
    /// Whether there is a registered client, and nothing that was ever granted to it.
    var isRegistrationOnly: Bool {
        lastRegistrationResponse != nil && authorizationError == nil && lastTokenResponse == nil && idToken == nil
            && refreshToken == nil
    }
}
