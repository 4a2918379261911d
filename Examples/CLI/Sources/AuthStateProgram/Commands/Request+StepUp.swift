import ArgumentParser
import AuthStateKit
import AuthStateResource

extension Request {
    /// Sends a request with the login for an API: the user logs in again when the API asks for more rights, or takes no
    /// renewed token either.
    func sendSteppingUp(_ request: TransportRequest, _ answers: AnswerMemory, _ context: Context) async throws
        -> TransportResponse
    {
        let session = try await context.session()
        let record = try await login(in: session)
        guard let name = record.resource, let resource = try? ResourceIdentifier(name) else {
            throw Self.notForResource
        }
        guard resource.hasOrigin(of: request.url) else { throw foreign(to: resource) }
        var options = ResourceAccess.Options()
        options.tolerances = record.client.provider.tolerances
        options.prepare = { [console = context.console] in
            console.note(ResourceAnnouncement.text(for: resource, at: $0.client, $0.scopes))
        }
        options.onWaitingForLogin = { [console = context.console] in console.note(ResourceAnnouncement.waiting) }
        var settings = Settings(annotations: record.annotations)
        if stepUp.paste, record.isMadeOnDevice { settings.grant = nil }
        let access = try session.access(
            to: resource, clients: record.resourceClients, login: try resourceLogin(for: record, of: resource, context),
            settings, options: options, transport: answers.watching)
        return try await session.withAccess(access) { try await $0.performAction(request) }
    }

    /// Returns the stored login.
    ///
    /// - Throws: `AuthStateError` of kind store; `.notLoggedIn` with the command that logs in for the URL.
    private func login(in session: Session) async throws -> AuthState.Record {
        do { return try await session.load().record } catch var error as AuthStateError
            where error.code == .notLoggedIn
        {
            error.hint = "Log in with 'authstate login --for \(url.printable())'."
            throw error
        }
    }

    /// The way of the stored login; for one of a user's with --paste a page.
    private func resourceLogin(
        for record: AuthState.Record, of resource: ResourceIdentifier, _ context: Context
    ) throws -> ResourceLogin {
        if record.clientCredentials != nil { return .clientCredentials }
        if let grant = record.jwtBearer { return .signedAssertion(subject: grant.subject) }
        if let grant = record.assertionGrant, let issuer = record.client.provider.issuer {
            return .assertion(grant.assertion, issuer: issuer.rawValue)
        }
        if stepUp.paste { return .presenting(PasteUserAgent()) }
        let secrets = record.secretVariables
        if record.isMadeOnDevice {
            let browser = try stepUp.browser.browserCommand.map { _ in
                try stepUp.browser.browser(for: .authorization).withholding(secrets)
            }
            return .device(for: resource, DevicePresenter(console: context.console, browser: browser))
        }
        // Most requests need no login, and may be sent where there is no browser.
        return .presenting(
            PreparingUserAgent { redirectURI, purpose in
                let browser = try stepUp.browser.browser(for: .authorization).withholding(secrets)
                return try await context.userAgent(browser, for: .login)
                    .prepare(redirectURI: redirectURI, for: purpose)
            })
    }

    private static let notForResource = AuthStateError(
        .invalidArgument, stage: .usage, "--step-up needs a login for the API; this login began at a provider.",
        hint: "Leave out --step-up; or log in with --for and the URL of the API, under another --profile.")

    private func foreign(to resource: ResourceIdentifier) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .usage, "The login is for another server than the URL's.",
            expected: resource.origin, received: url.printable(),
            hint: "Name the login for this URL with --profile or --state, or leave out --step-up.")
    }
}
