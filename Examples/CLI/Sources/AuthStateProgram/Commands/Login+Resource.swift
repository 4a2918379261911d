import ArgumentParser
import AuthStateKit
import AuthStateProviders
import AuthStateResource

extension Login {
    /// Logs in for an API: its metadata lead to the authorization server, and the rules of the library to a client there.
    func logIn(for target: ResourceIdentifier, _ context: Context) async throws -> AuthState {
        let (session, access) = try await access(to: target, context)
        return try await session.withAccess(access) { access in
            try await access.logIn()
            guard let state = try await access.authState() else { throw AuthStateError.notLoggedIn }
            return state
        }
    }

    /// Returns the access to an API that the options describe, and the place of its login.
    ///
    /// - Parameters:
    ///   - isElsewhere: Whether another process shows the page of a login.
    ///   - tell: Called with what a user needs who confirms the login on another device, when it was shown.
    func access(
        to target: ResourceIdentifier, _ context: Context, isElsewhere: Bool = false,
        tell: @escaping @Sendable (DeviceAuthorizationResponse) -> Void = { _ in }
    ) async throws -> (Session, ResourceAccess) {
        try connection.check()
        try resource.check()
        let session = try await context.session(isElsewhere ? .existing : .new(sealing.seal))
        let stored = try await session.record(for: target, resourceSettings(nil))
        let access = try await keepingWay(of: stored).access(
            to: target, context, in: session, stored, isElsewhere: isElsewhere, tell)
        return (session, access)
    }

    /// Logs in; the time and the advice are those of the way of the stored login for the API, where that is kept.
    func run() async throws {
        let keys = keys
        try await keepingWay(keys).run(keys)
    }

    /// The login by the way of the stored one for its API.
    func keepingWay(_ keys: SealingKeys) async -> Login {
        guard tokens.namedGrant == nil, let target = try? resource.identifier,
            let stored = await common.storedRecord(keys), stored.resource == target.rawValue
        else { return self }
        return keepingWay(of: stored)
    }

    /// The login by the way of the stored one, whose grant may have ended, unless the options name another: a page of the
    /// browser's may be out of reach of a user who has confirmed a login on another device.
    private func keepingWay(of stored: AuthState.Record?) -> Login {
        guard let stored, stored.isAuthorized || stored.authorizationError != nil, stored.isMadeOnDevice,
            tokens.namedGrant == nil, pageOption == nil, tokens.optionOfPages == nil
        else { return self }
        var login = self
        login.tokens.namedGrant = .device
        return login
    }

    private func access(
        to target: ResourceIdentifier, _ context: Context, in session: Session, _ stored: AuthState.Record?,
        isElsewhere: Bool, _ tell: @escaping @Sendable (DeviceAuthorizationResponse) -> Void
    ) async throws -> ResourceAccess {
        let clients = try clients(stored: stored)
        // A registration is kept before the user logs in; one in place of a document's client has to do without.
        if stored == nil, mayRegister, resource.documentURL == nil || client.register {
            try await session.requirePlaceForRegistration(of: target)
        }
        var settings = resourceSettings(stored)
        settings.isUnsealedByChoice = session.isUnsealedByChoice
        return try session.access(
            to: target, clients: clients,
            login: isElsewhere ? .elsewhere : try resourceLogin(for: target, context, stored, tell),
            settings, options: try resourceAccessOptions(for: target, context.console))
    }

    /// The ways to be a client at the authorization server: those that the options name; else the way of the stored login;
    /// else a registration.
    func clients(stored: AuthState.Record?) throws -> [ResourceClient] {
        let credential = proof() ?? .none
        if let id = client.clientID { return [.known(id, credential: credential, issuer: connection.issuer)] }
        let issuer = credential.isAssertion ? connection.issuer : nil
        let document = resource.documentURL.map { ResourceClient.document($0, credential: credential, issuer: issuer) }
        if document == nil, !client.register, !isGrantedByAssertion, let known = stored?.resourceClients, !known.isEmpty
        {
            return known
        }
        guard mayRegister else { return [document].compactMap(\.self) }
        var metadata = ClientMetadata()
        metadata.clientName = registration.clientName ?? RegistrationOptions.standardName
        metadata.responseTypes = tokens.grant == .device ? [] : [authorization.responseType ?? .code]
        metadata.tokenEndpointAuthMethod = document == nil ? client.key.authMethod?.method : nil
        let token = try registration.initialAccessToken()
        let registering = ResourceClient.registering(metadata, initialAccessToken: token, issuer: connection.issuer)
        return [document, registering].compactMap(\.self)
    }

    /// Whether the client may have to register itself.
    private var mayRegister: Bool { client.clientID == nil && !isGrantedByAssertion }

    /// The settings of the login; those that name the client are the stored login's when no option does.
    private func resourceSettings(_ stored: AuthState.Record?) -> Settings {
        var settings = Settings(
            connection, client: client, leeway: tokens.leeway, grant: tokens.grant.type,
            redirectURI: authorization.redirectURI, profile: common.profile)
        settings.link.documentURL = resource.documentURL
        settings.link.toleratesParent = connection.tolerances.contains(.parentResource)
        settings.link.allowsPrivateAddresses = resource.allowsPrivateAddresses
        let isNamed = client.clientID != nil || resource.documentURL != nil || client.register
        if let stored, !isNamed {
            let former = Settings(annotations: stored.annotations)
            settings.link.documentURL = former.link.documentURL
            settings.redirectURI = settings.redirectURI ?? former.redirectURI
        }
        return settings
    }

    private func resourceLogin(
        for target: ResourceIdentifier, _ context: Context, _ stored: AuthState.Record?,
        _ tell: @escaping @Sendable (DeviceAuthorizationResponse) -> Void
    ) throws -> ResourceLogin {
        switch try way(context, stored: stored) {
        case .page(let userAgent): .presenting(userAgent)
        case .device(let presenter): .device(for: target, presenter, tell)
        case .issuedAssertion(let assertion): .assertion(assertion, issuer: connection.issuer ?? "")
        case .assertion: .signedAssertion(subject: tokens.subject)
        case .client, .backchannel: .clientCredentials
        }
    }

    private func resourceAccessOptions(
        for target: ResourceIdentifier, _ console: Console
    ) throws -> ResourceAccess.Options {
        var options = ResourceAccess.Options()
        options.scopes = tokens.scope.map(Scope.list)
        options.usesDPoP = tokens.isBound
        options.registersAnew = client.registerAnew
        options.tolerances = Set(connection.tolerances.map(\.tolerance))
        if client.assertionAudience == .endpoint { options.tolerances.insert(.endpointAudience) }
        // A login on the command line replaces the one before, also that of another user.
        options.account = .any
        options.onWaitingForLogin = { console.note(ResourceAnnouncement.waiting) }
        let dpopKey = try tokens.dpopKeyFile.map { try DPoPKey.file($0.absolutePath) }
        options.prepare = { request in
            prepare(&request, dpopKey)
            console.note(ResourceAnnouncement.text(for: target, at: request.client, request.scopes))
            for finding in request.diagnose(provider: nil) {
                console.note("warning: \(finding.message) \(finding.hint)")
            }
        }
        return options
    }

    /// Copies the options of the page and of the tokens into a request.
    private func prepare(_ request: inout AuthorizationRequest, _ dpopKey: DPoPKey?) {
        authorization.apply(to: &request)
        if let leeway = tokens.leeway { request.client.provider.idTokenPolicy.leeway = .seconds(leeway) }
        request.dpopKey = dpopKey ?? request.dpopKey
        request.signingCredential = client.signingCredential(of: nil)
        request.authorizationDetails = tokens.authorizationDetails ?? []
        // The option replaces what the login before asked for.
        if let scopes = tokens.scope.map(Scope.list) {
            request.scopes = ScopeSelection.stepUp(from: scopes, nil, server: request.client.provider.metadata)
        }
        for name in tokens.additionalParameters.names {
            for value in tokens.additionalParameters.values(name) { request.additionalParameters.append(name, value) }
        }
    }
}

extension ResourceLogin {
    /// A user confirms the login on another device; the code is that of another process's login where there is one.
    static func device(
        for target: ResourceIdentifier, _ presenter: DevicePresenter,
        _ tell: @escaping @Sendable (DeviceAuthorizationResponse) -> Void = { _ in }
    ) -> Self {
        .device { response in
            let request = response.request
            presenter.console.note(ResourceAnnouncement.text(for: target, at: request.client, request.scopes))
            try presenter.show(response)
            tell(response)
        }
    }
}

/// The lines that a login for a resource tells the user before its page is shown.
enum ResourceAnnouncement {
    static let waiting = "Waiting for the login that another process has begun for this API."

    static func text(for resource: ResourceIdentifier, at client: Client, _ scopes: [Scope]) -> String {
        let issuer = client.provider.issuer.map { " at \($0)" } ?? ""
        let scopes = scopes.map(\.rawValue).joined(separator: " ")
        return "Logging in\(issuer) for \(resource)\(scopes.isEmpty ? "" : ", with the scope \(scopes)")."
    }
}
