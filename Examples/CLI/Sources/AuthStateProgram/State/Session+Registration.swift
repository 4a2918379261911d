import AuthStateKit
import AuthStatePlatform

extension Session {
    /// The client that was registered here at this provider, if its secret has not expired.
    ///
    /// - Throws: `AuthStateError` of kind usage when another login is kept here, which registering would replace.
    func registration(at configuration: ProviderConfiguration, now: Date) async throws -> RegistrationResponse? {
        guard try await !isEmpty() else { return nil }
        let record = try await load().record
        guard let registration = record.lastRegistrationResponse,
            record.client.provider.issuer == configuration.issuer, record.client.id == registration.clientID
        else {
            throw Self.occupied(expected: "no login, or a registration at this provider")
        }
        let isOver = registration.clientSecret != nil && registration.clientSecretExpiresAt.map { $0 <= now } ?? false
        return isOver ? nil : registration
    }

    /// A registration would replace another login.
    static func occupied(expected: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .registration, "A login of another client is kept here.",
            expected: expected, hint: "Name another login with --profile, or remove this one with 'authstate logout'.")
    }

    /// Runs a body with the state of a client that registered itself here.
    func withRegistration<R>(_ body: nonisolated(nonsending) (AuthState) async throws -> R) async throws -> R {
        let record = try await isEmpty() ? nil : load().record
        guard record?.lastRegistrationResponse != nil else {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "No client was registered here.",
                hint: "Choose the registration with --state or --profile; 'authstate logout' ends a login.")
        }
        return try await withState(body)
    }

    /// Registers a client and keeps it; no user is logged in by that.
    ///
    /// The storage is tried before the request, because the secret that the provider issues is known nowhere else.
    func register(
        _ request: RegistrationRequest, privateKey: ClientCredential?, settings: Settings, service: AuthorizationService
    ) async throws -> RegistrationResponse {
        func register(_ request: RegistrationRequest) async throws -> AuthState {
            try await AuthState.register(
                request, credential: privateKey ?? .none,
                at: AuthState.Place(store, key: key, service: service, options: options(settings)),
                annotations: settings.annotations)
        }
        let state: AuthState
        do { state = try await register(request) } catch let error as AuthStateError
            where request.redirectURIs.isEmpty
            && [.registrationRedirectURIRefused, .invalidClientMetadata].contains(error.code)
        {
            var second = request
            second.redirectURIs = [try RedirectURI(RegistrationOptions.redirectURI)]
            state = try await register(second)
        }
        // A registration that was not saved would be lost with the end of this program: one more try, then its error.
        try await state.save()
        guard let registration = state.record.lastRegistrationResponse else { throw AuthStateError.notLoggedIn }
        return registration
    }
}

extension AuthState.Record {
    /// Whether there is a registered client that was never granted anything.
    var isRegistrationOnly: Bool {
        lastRegistrationResponse != nil && authorizationError == nil && lastTokenResponse == nil && idToken == nil
            && refreshToken == nil
    }
}
