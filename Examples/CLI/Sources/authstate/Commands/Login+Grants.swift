import AuthStateKit

extension Login {
    /// Where a login is kept, and what gets it there.
    struct Place {
        let session: Session
        let settings: Settings
        let service: AuthorizationService

        var options: AuthState.Options { session.options(settings) }
    }

    /// A person logs in at the provider's page.
    func authorize(
        _ party: Party, at configuration: ServiceConfiguration, _ userAgent: any ExternalUserAgent, _ place: Place
    ) async throws -> AuthState {
        var request = AuthorizationRequest(
            configuration: configuration, clientID: party.clientID, scopes: tokens.scopes(default: [.openID]))
        try authorization.apply(to: &request)
        request.signingCredential = party.signingCredential
        request.resources = tokens.resource
        request.additionalParameters = tokens.additionalParameters
        return try await AuthState.authorize(
            request, presenting: userAgent, credential: party.credential, service: place.service,
            store: place.session.store, key: place.session.key, annotations: place.settings.annotations,
            options: place.options)
    }

    /// A person confirms the login on another device.
    func authorizeDevice(
        _ party: Party, at configuration: ServiceConfiguration, _ presenter: DevicePresenter, _ place: Place
    ) async throws -> AuthState {
        let request = DeviceAuthorizationRequest(
            configuration: configuration, clientID: party.clientID, scopes: tokens.scopes(default: [.openID]),
            resources: tokens.resource, additionalParameters: tokens.additionalParameters)
        return try await Spinner.spin("Waiting for you to confirm the login", on: presenter.console) {
            try await AuthState.authorizeDevice(
                request, credential: party.credential, service: place.service, store: place.session.store,
                key: place.session.key, annotations: place.settings.annotations, options: place.options,
                present: presenter.show)
        }
    }

    /// The client speaks in its own name.
    func clientCredentials(
        _ party: Party, at configuration: ServiceConfiguration, _ place: Place
    ) async throws -> AuthState {
        try await AuthState.clientCredentials(
            configuration: configuration, clientID: party.clientID, credential: party.credential,
            scopes: tokens.scopes(), resources: tokens.resource, additionalParameters: tokens.additionalParameters,
            service: place.service, store: place.session.store, key: place.session.key,
            annotations: place.settings.annotations, options: place.options)
    }
}
