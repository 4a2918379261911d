import AuthStateKit

extension Login {
    /// The way in which the options log in, with the means of this machine.
    ///
    /// - Parameter listener: Receives the answers of a client that registered itself; nil for every other.
    func login(_ way: Way, of party: Party, listener: ListeningUserAgent?, _ console: Console) throws -> AuthState.Login
    {
        switch way {
        case .page(let userAgent): try page(of: party, listener ?? userAgent, console)
        case .device(let presenter): .device(try deviceRequest(of: party), present: presenter.show)
        case .backchannel: try backchannel(of: party, console)
        case .client:
            .clientCredentials(
                party.client, scopes: tokens.scopes(), resources: tokens.resource,
                additionalParameters: tokens.grantParameters, dpopKey: try tokens.dpopKey(for: party.client.provider))
        case .assertion(let key): try assertion(of: party, signedWith: key)
        case .issuedAssertion(let assertion):
            .assertion(
                assertion, party.client, scopes: tokens.scopes(), resources: tokens.resource,
                additionalParameters: tokens.grantParameters, dpopKey: try tokens.dpopKey(for: party.client.provider))
        }
    }

    /// A user logs in at the provider's page.
    private func page(
        of party: Party, _ userAgent: any ExternalUserAgent, _ console: Console
    ) throws -> AuthState.Login {
        let (scopes, provider) = (tokens.scope.map(Scope.list), try connection.known())
        var request =
            provider?.request(party.client, scopes: scopes)
            ?? AuthorizationRequest(party.client, scopes: scopes ?? [.openID])
        authorization.apply(to: &request)
        request.redirectURI = try redirectURI.map(RedirectURI.init)
        request.dpopKey = try tokens.dpopKey(for: party.client.provider)
        request.signingCredential = party.signingCredential
        request.resources = tokens.resource
        request.authorizationDetails = tokens.authorizationDetails ?? []
        // The options replace the known provider's own parameters.
        for name in tokens.additionalParameters.names {
            request.additionalParameters[name] = nil
            for value in tokens.additionalParameters.values(name) { request.additionalParameters.append(name, value) }
        }
        let findings = request.diagnose(provider: provider)
        return .browser(request, WarningUserAgent(base: userAgent, findings: findings, console: console))
    }

    /// A user confirms the login on another device.
    private func deviceRequest(of party: Party) throws -> DeviceAuthorizationRequest {
        var request = DeviceAuthorizationRequest(
            party.client, scopes: tokens.scopes(default: try connection.known()?.scopes ?? [.openID]),
            resources: tokens.resource, additionalParameters: tokens.grantParameters)
        request.dpopKey = try tokens.dpopKey(for: party.client.provider)
        return request
    }

    /// A user confirms the login where the provider asks them.
    private func backchannel(of party: Party, _ console: Console) throws -> AuthState.Login {
        let hint = authorization.loginHint ?? ""
        var request = BackchannelAuthenticationRequest(
            party.client, hint: .login(hint),
            scopes: tokens.scopes(default: try connection.known()?.scopes ?? [.openID]),
            bindingMessage: backchannel.bindingMessage, userCode: try backchannel.userCode(),
            additionalParameters: tokens.additionalParameters)
        request.resources = tokens.resource
        request.dpopKey = try tokens.dpopKey(for: party.client.provider)
        return .backchannel(request) { response in
            console.note("The provider asks \(hint) now. Confirm the login there.")
            guard let message = response.request.bindingMessage else { return }
            console.note("Confirm it only if this is shown too: \(message)")
        }
    }

    /// The client speaks in its own name, or in a user's, by assertions that its key signs.
    private func assertion(of party: Party, signedWith key: ClientCredential) throws -> AuthState.Login {
        let (id, provider) = (party.client.id, party.client.provider)
        let grant = JWTBearerGrant(
            issuer: id, subject: tokens.subject ?? id, key: key, scopes: tokens.scopes(),
            resources: tokens.resource, additionalParameters: tokens.grantParameters)
        return .jwtBearer(grant, at: provider, dpopKey: try tokens.dpopKey(for: provider))
    }
}
