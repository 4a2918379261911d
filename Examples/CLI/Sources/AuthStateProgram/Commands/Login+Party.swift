import ArgumentParser
import AuthStateKit
import AuthStatePlatform
import AuthStateUserAgent

extension Login {
    /// Where a login is kept, with its settings and service.
    struct Place {
        let session: Session
        var settings: Settings
        let service: AuthorizationService

        /// The same for the library.
        var state: AuthState.Place {
            AuthState.Place(session.store, key: session.key, service: service, options: session.options(settings))
        }
    }

    /// The client that logs in, known to the provider before or registered for this.
    struct Party {
        var client: Client
        /// The credential that signs requests; nil leaves them unsigned.
        var signingCredential: ClientCredential?
    }

    /// The client that the options name; with `--register` the one that was registered here, or else a new one, which is
    /// kept before the login begins.
    ///
    /// - Parameter listener: Receives the answers; nil for a login without a page.
    func party(
        at configuration: ProviderConfiguration, _ place: Place, registered: RegistrationResponse?,
        listener: (any ExternalUserAgentSession)?
    ) async throws -> Party {
        var registered = registered
        if client.register, registered == nil { registered = try await register(at: configuration, place, listener) }
        let provider = registered.map { client.adapt(configuration.adapted(to: $0)) } ?? configuration
        return Party(
            client: Client(
                provider, id: registered?.clientID ?? client.clientID ?? "",
                credential: proof(registered) ?? .none),
            signingCredential: client.signingCredential(of: registered))
    }

    /// What the client authenticates with; an assertion that is the grant does not authenticate it too.
    func proof(_ registered: RegistrationResponse? = nil) -> ClientCredential? {
        client.credential(of: registered).flatMap { isGrantedByAssertion && $0.isAssertion ? nil : $0 }
    }

    /// Listens at the registered redirect URI, or at any before the registration. The registered URI and the listener's
    /// are the same, for providers that compare ports.
    func listen(_ userAgent: any ExternalUserAgent, for registered: RegistrationResponse?) async throws
        -> any ExternalUserAgentSession
    {
        let asked = try redirectURI.map(RedirectURI.init)
        let own = registered?.loopbackRedirectURI(like: asked)
        do {
            return try await userAgent.prepare(redirectURI: own ?? asked, for: .login)
        } catch var error as AuthStateError
            where error.code == .portInUse && own != nil
        {
            error.message = "The client is registered with port \(own?.port ?? 0), which is in use."
            error.hint =
                "End the program that holds the port; or delete the client with 'authstate registration delete' and register "
                + "a new one with 'authstate login --register'."
            throw error
        }
    }

    private func register(
        at configuration: ProviderConfiguration, _ place: Place, _ listener: (any ExternalUserAgentSession)?
    ) async throws -> RegistrationResponse {
        let uris = [listener?.redirectURI].compactMap(\.self)
        var request = try registration.request(configuration, redirectURIs: uris)
        request.scopes = tokens.scopes()
        request.postLogoutRedirectURIs = uris
        try request.metadata.prepare(
            for: [.login(tokens.grant)], responseType: authorization.responseType ?? .code, key: client.key,
            at: configuration)
        client.applyAlgorithms(to: &request)
        return try await place.session.register(
            request, privateKey: client.key.credential, settings: place.settings, service: place.service)
    }
}

extension RegistrationResponse {
    /// The registered redirect URI to listen at; nil when none matches the requested one, or when it leaves the port
    /// open.
    ///
    /// - Parameter asked: The redirect URI of the login; one without port 0 is taken as it is.
    fileprivate func loopbackRedirectURI(like asked: RedirectURI?) -> RedirectURI? {
        guard asked == nil || asked?.port == 0 else { return nil }
        let own = (metadata["redirect_uris"]?.arrayValue ?? []).compactMap { $0.stringValue }
            .compactMap { try? RedirectURI($0) }.filter { $0.isLoopback && $0.port ?? 0 != 0 }
        return own.first { asked == nil || $0.withPort(0) == asked?.withPort(0) }
    }
}
