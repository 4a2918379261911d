import AuthStateKit
import AuthStateProviders
import AuthStateUserAgent

extension Login {
    /// The way in which the options log in, with the means of this machine.
    ///
    /// - Parameter listener: Receives the answers of a client that registered itself; nil for every other.
    func login(
        _ way: Way, of party: Party, listener: (any ExternalUserAgentSession)?, _ console: Console
    ) throws -> AuthState.Login {
        let (client, dpopKey) = (party.client, try tokens.dpopKey(for: party.client.provider))
        switch way {
        case .page(var userAgent):
            if let listener { userAgent = PreparingUserAgent { _, _ in listener } }
            return try page(of: party, dpopKey, userAgent, console)
        case .device(let presenter):
            var request = DeviceAuthorizationRequest(
                client, scopes: try personalScopes, resources: tokens.resource,
                additionalParameters: tokens.grantParameters)
            request.dpopKey = dpopKey
            return .device(request, present: presenter.show)
        case .backchannel: return try backchannel(of: client, dpopKey, console)
        case .client:
            return .clientCredentials(
                client, scopes: tokens.scopes(), resources: tokens.resource,
                additionalParameters: tokens.grantParameters, dpopKey: dpopKey)
        // The client speaks in its own name, or in a user's, by assertions that its key signs.
        case .assertion(let key):
            let grant = JWTBearerGrant(
                issuer: client.id, subject: tokens.subject ?? client.id, key: key, scopes: tokens.scopes(),
                resources: tokens.resource, additionalParameters: tokens.grantParameters)
            return .jwtBearer(grant, at: client.provider, dpopKey: dpopKey)
        case .issuedAssertion(let assertion):
            return .assertion(
                assertion, client, scopes: tokens.scopes(), resources: tokens.resource,
                additionalParameters: tokens.grantParameters, dpopKey: dpopKey)
        }
    }

    private var personalScopes: [Scope] {
        get throws { tokens.scopes(default: try connection.known()?.scopes ?? [.openID]) }
    }

    /// A user logs in at the provider's page. Warnings come once the user agent has accepted the redirect URI: a refusal is
    /// told without them.
    private func page(
        of party: Party, _ dpopKey: DPoPKey?, _ userAgent: any ExternalUserAgent, _ console: Console
    ) throws -> AuthState.Login {
        let (scopes, provider) = (tokens.scope.map(Scope.list), try connection.known())
        var request =
            provider?.request(party.client, scopes: scopes)
            ?? AuthorizationRequest(party.client, scopes: scopes ?? [.openID])
        authorization.apply(to: &request)
        request.redirectURI = try redirectURI.map(RedirectURI.init)
        request.dpopKey = dpopKey
        request.signingCredential = party.signingCredential
        request.resources = tokens.resource
        request.authorizationDetails = tokens.authorizationDetails ?? []
        // The options replace the known provider's own parameters.
        for name in tokens.additionalParameters.names {
            request.additionalParameters[name] = nil
            for value in tokens.additionalParameters.values(name) { request.additionalParameters.append(name, value) }
        }
        let findings = request.diagnose(provider: provider)
        let agent = PreparingUserAgent { redirectURI, purpose in
            let session = try await userAgent.prepare(redirectURI: redirectURI, for: purpose)
            for finding in findings { console.note("warning: \(finding.message) \(finding.hint)") }
            return session
        }
        return .browser(request, agent)
    }

    /// A user confirms the login where the provider asks them.
    private func backchannel(of client: Client, _ dpopKey: DPoPKey?, _ console: Console) throws -> AuthState.Login {
        let hint = authorization.loginHint ?? ""
        var request = BackchannelAuthenticationRequest(
            client, hint: .login(hint), scopes: try personalScopes, bindingMessage: backchannel.bindingMessage,
            userCode: try backchannel.userCode(), additionalParameters: tokens.additionalParameters)
        request.resources = tokens.resource
        request.dpopKey = dpopKey
        return .backchannel(request) { response in
            console.note("The provider asks \(hint) now. Confirm the login there.")
            guard let message = response.request.bindingMessage else { return }
            console.note("Confirm it only if this is shown too: \(message)")
        }
    }
}
