import AuthStateKit

extension Login {
    /// The place where a login is kept, with its settings and service.
    struct Place {
        let session: Session
        var settings: Settings
        let service: AuthorizationService

        var options: AuthState.Options { session.options(settings) }
    }

    /// A person logs in at the provider's page.
    func authorize(
        _ party: Party, at configuration: ServiceConfiguration, _ userAgent: any ExternalUserAgent, _ place: Place
    ) async throws -> AuthState {
        let (scopes, provider) = (tokens.scope.map(Scope.list), try connection.known())
        var request =
            provider?.request(configuration: configuration, clientID: party.clientID, scopes: scopes)
            ?? AuthorizationRequest(
                configuration: configuration, clientID: party.clientID, scopes: scopes ?? [.openID])
        authorization.apply(to: &request)
        request.redirectURI = try redirectURI.map(RedirectURI.init)
        request.dpopKey = try tokens.dpopKey(for: configuration)
        request.signingCredential = party.signingCredential
        request.resources = tokens.resource
        request.authorizationDetails = tokens.authorizationDetails ?? []
        // The options replace the known provider's own parameters.
        for name in tokens.additionalParameters.names {
            request.additionalParameters[name] = nil
            for value in tokens.additionalParameters.values(name) { request.additionalParameters.append(name, value) }
        }
        let findings = request.diagnose(credential: party.credential, provider: provider)
        let warning = WarningUserAgent(base: userAgent, findings: findings, console: place.session.console)
        return try await AuthState.authorize(
            request, presenting: warning, credential: party.credential, service: place.service,
            store: place.session.store, key: place.session.key, annotations: place.settings.annotations,
            options: place.options)
    }

    /// Lets a person confirm the login on another device.
    func authorizeDevice(
        _ party: Party, at configuration: ServiceConfiguration, _ presenter: DevicePresenter, _ place: Place
    ) async throws -> AuthState {
        var request = DeviceAuthorizationRequest(
            configuration: configuration, clientID: party.clientID,
            scopes: tokens.scopes(default: try connection.known()?.scopes ?? [.openID]), resources: tokens.resource,
            additionalParameters: tokens.grantParameters)
        request.dpopKey = try tokens.dpopKey(for: configuration)
        let asked = request
        return try await Spinner.spin("Waiting for you to confirm the login", on: presenter.console) {
            try await AuthState.authorizeDevice(
                asked, credential: party.credential, service: place.service, store: place.session.store,
                key: place.session.key, annotations: place.settings.annotations, options: place.options,
                present: presenter.show)
        }
    }

    /// Lets a person confirm the login where the provider asks them.
    func authorizeBackchannel(
        _ party: Party, at configuration: ServiceConfiguration, _ console: Console, _ place: Place
    ) async throws -> AuthState {
        var request = BackchannelAuthenticationRequest(
            configuration: configuration, clientID: party.clientID, hint: .login(authorization.loginHint ?? ""),
            scopes: tokens.scopes(default: try connection.known()?.scopes ?? [.openID]),
            bindingMessage: backchannel.bindingMessage, userCode: try backchannel.userCode(),
            additionalParameters: tokens.additionalParameters)
        request.resources = tokens.resource
        request.dpopKey = try tokens.dpopKey(for: configuration)
        let asked = request
        return try await Spinner.spin("Waiting for the login to be confirmed", on: console) {
            try await AuthState.authorizeBackchannel(
                asked, credential: party.credential, service: place.service, store: place.session.store,
                key: place.session.key, annotations: place.settings.annotations, options: place.options
            ) { response in
                console.note("The provider asks \(authorization.loginHint ?? "") now. Confirm the login there.")
                guard let message = response.request.bindingMessage else { return }
                console.note("Confirm it only if this is shown too: \(message)")
            }
        }
    }

    /// The client speaks in its own name.
    func clientCredentials(
        _ party: Party, at configuration: ServiceConfiguration, _ place: Place
    ) async throws -> AuthState {
        try await AuthState.clientCredentials(
            configuration: configuration, clientID: party.clientID, credential: party.credential,
            scopes: tokens.scopes(), resources: tokens.resource, additionalParameters: tokens.grantParameters,
            dpopKey: try tokens.dpopKey(for: configuration), service: place.service, store: place.session.store,
            key: place.session.key, annotations: place.settings.annotations, options: place.options)
    }

    /// The client speaks in its own name, or in a user's, by assertions that its key signs.
    func jwtBearer(
        _ party: Party, signedWith key: ClientCredential, at configuration: ServiceConfiguration, _ place: Place
    ) async throws -> AuthState {
        let grant = JWTBearerGrant(
            issuer: party.clientID, subject: tokens.subject ?? party.clientID, key: key, scopes: tokens.scopes(),
            resources: tokens.resource, additionalParameters: tokens.grantParameters)
        return try await AuthState.jwtBearer(
            grant, configuration: configuration, dpopKey: try tokens.dpopKey(for: configuration),
            service: place.service, store: place.session.store, key: place.session.key,
            annotations: place.settings.annotations, options: place.options)
    }
}
