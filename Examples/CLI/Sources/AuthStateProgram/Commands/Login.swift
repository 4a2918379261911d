import ArgumentParser
import AuthStateKit
import AuthStatePlatform
import AuthStateProviders
import AuthStateUserAgent

/// Logs a user in, or the client itself, and replaces the login before.
struct Login: Command {
    static let configuration = CommandConfiguration(
        commandName: "login", _superCommandName: "authstate",
        abstract: "Log in, and keep what the provider grants.",
        usage: """
            authstate login --issuer <url> --client-id <id> [<options>]
                   authstate login --issuer <url> --register [<options>]
                   authstate login --provider <name> --client-id <id> [<options>]
                   authstate login --identifier <address> --client-id <id> [<options>]
                   authstate login --for <url> [<options>]
            """,
        discussion: """
            In the browser here, with a refresh token:
              authstate login --issuer https://op.example --client-id cli --scope "openid offline_access"

            On another device, from a machine without a display:
              authstate login --issuer https://op.example --client-id cli --grant device

            At a known provider:
              authstate login --provider github --client-id cli --client-secret-env GITHUB_SECRET

            At the provider that logs a user in, which is found by their address:
              authstate login --identifier ada@example.org --client-id cli --allow-issuer https://op.example

            Without a user, by a key of the client:
              authstate login --issuer https://op.example --client-id job --grant client-credentials --private-key key.pem

            Without a user and without a secret, by the token that the platform gives to its programs:
              authstate login --issuer https://op.example --grant jwt-bearer --assertion-file /var/run/secrets/tokens/op

            By a client that is registered first, with tokens that are bound to a key:
              authstate login --issuer https://op.example --register --dpop

            For an API of which the URL alone is known, an MCP server for example; its authorization server is found from \
            there, and a client registers where that is offered:
              authstate login --for https://mcp.example/mcp

            The same from a machine without a display, where that server has logins on another device:
              authstate login --for https://mcp.example/mcp --grant device
            """)
    static let stage = AuthStateError.Stage.authorization
    static let timeLimit = 300.0

    /// The advice when the time is over; nil for a login in the browser, which can fail for other reasons than the time
    /// and has its own advice.
    var timeLimitHint: String? {
        switch tokens.grant {
        case .authorizationCode: pageHint
        case .device, .ciba: "Confirm the login sooner, or allow more time with --timeout."
        case .clientCredentials, .jwtBearer: "Try again, or allow more time with --timeout."
        }
    }

    /// The advice when no answer comes from the page of a server that may say there what is wrong; nil for the general one.
    private var pageHint: String? {
        var pages = mayBeForgotten ? ["that the client is unknown, log in with --register-anew"] : []
        if resource.url != nil { pages.append("that it takes no parameter resource, use --tolerate unnamed-resource") }
        guard !pages.isEmpty else { return nil }
        pages.append("another error, or an empty page, check --redirect-uri and --client-id")
        return "If the browser shows \(pages.joined(separator: "; if it shows ")). "
            + "Else try again and finish in the browser, or allow more time with --timeout."
    }

    /// Whether the server may have forgotten the client, which registered here before.
    var mayBeForgotten: Bool {
        !client.registerAnew && client.clientID == nil && (client.register || resource.url != nil)
    }

    @OptionGroup(title: "Provider")
    var connection: ConnectionOptions

    @OptionGroup(title: "Provider")
    var identity: IdentityOptions

    @OptionGroup(title: "An API that names its provider")
    var resource: ResourceOptions

    @OptionGroup(title: "Client")
    var client: ClientOptions

    @OptionGroup(title: "Registering")
    var registration: RegistrationOptions

    @OptionGroup(title: "Tokens")
    var tokens: TokenOptions

    @OptionGroup(title: "Backchannel authentication (CIBA)")
    var backchannel: BackchannelOptions

    @OptionGroup(title: "The provider's page")
    var authorization: AuthorizationOptions

    @OptionGroup(title: "The provider's page")
    var browser: BrowserOptions

    @OptionGroup(title: "Common options")
    var sealing: SealOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if resource.url == nil { try checkProviderLogin() } else { try checkResourceLogin() }
        if tokens.grant != .device, connection.deviceAuthorizationEndpoint != nil {
            throw ValidationError("--device-authorization-endpoint goes with --grant device.")
        }
        if tokens.grant != .ciba, let option = backchannel.firstGiven {
            throw ValidationError("\(option) goes with --grant ciba.")
        }
        switch tokens.grant {
        case .authorizationCode: break
        case .ciba:
            if let pageOption {
                throw ValidationError(
                    "--grant ciba goes without \(pageOption): the provider asks the user by itself.")
            }
            if authorization.loginHint?.isEmpty ?? true {
                throw ValidationError("--grant ciba needs --login-hint: whom the provider shall ask.")
            }
        case .device:
            if let pageOption {
                throw ValidationError("--grant device goes without \(pageOption): the user logs in elsewhere.")
            }
        case .clientCredentials:
            if !client.isConfidential {
                throw ValidationError(
                    "--grant client-credentials needs --client-secret-env, --private-key, --assertion-file or "
                        + "--client-certificate.")
            }
        case .jwtBearer: try checkAssertionGrant()
        }
        if tokens.grant != .jwtBearer, client.key.authMethod != .spiffeJWT, let assertion = client.assertionOption,
            let option = client.proofBesideAssertion
        {
            throw ValidationError(
                "\(assertion) goes without \(option): it proves the client, unless the --grant is jwt-bearer.")
        }
        // The browser is a setting of the machine: where no page is shown none is opened.
        if !tokens.grant.isPersonal, let pageOption {
            throw ValidationError("--grant \(tokens.grant.rawValue) goes without \(pageOption): no page is shown.")
        }
    }

    /// Checks the grant by an assertion, which the client's key signs, or another party.
    private func checkAssertionGrant() throws {
        if client.register {
            throw ValidationError("--grant jwt-bearer goes without --register: the assertion says who asks.")
        }
        if let option = client.assertionOption {
            if tokens.subject != nil { throw ValidationError("\(option) goes without --subject: it names one itself.") }
            if client.key.authMethod == .spiffeJWT {
                throw ValidationError(
                    "--grant jwt-bearer goes without --auth-method spiffe-jwt: \(option) is the grant.")
            }
            if client.clientID == nil, let proof = client.proofBesideAssertion {
                throw ValidationError("\(proof) needs --client-id.")
            }
            return
        }
        if client.key.privateKey == nil {
            throw ValidationError("--grant jwt-bearer needs --private-key, or --assertion-file of another party's.")
        }
        if client.key.authMethod != nil {
            throw ValidationError("--grant jwt-bearer goes without --auth-method: the assertion says who asks.")
        }
    }

    /// Whether an assertion of another party is the grant, so that no client has to be named.
    var isGrantedByAssertion: Bool { tokens.grant == .jwtBearer && client.assertion != nil }

    /// Refuses options that make no sense in a login at a provider, or miss another.
    private func checkProviderLogin() throws {
        try connection.requireProvider(or: identity)
        let provider = try connection.known()
        if client.clientID == nil, !client.register, !isGrantedByAssertion {
            throw ValidationError(provider?.howToRegister ?? "Name the client with --client-id, or use --register.")
        }
        if tokens.grant == .authorizationCode, let provider { try checkPage(of: provider) }
        if authorization.isHybrid, tokens.scope != nil, !tokens.scopes().contains(.openID) {
            throw ValidationError("--response-type \"code id_token\" needs openid in --scope.")
        }
        if !client.register, let option = registration.firstGiven {
            throw ValidationError("\(option) goes with --register.")
        }
    }

    /// Where the answer goes: as the options say, else as it is registered at a known provider.
    var redirectURI: String? {
        get throws { try authorization.redirectURI ?? connection.known()?.registration.loopbackRedirectURI }
    }

    /// Whether the answer of a provider's page can come to this machine.
    private func checkPage(of provider: KnownProvider) throws {
        if provider.registration.loopbackRedirectURI == nil, authorization.redirectURI == nil || !authorization.paste {
            throw ValidationError(
                "\(provider.title) cannot redirect here: give --redirect-uri with the page that is registered "
                    + "there, and --paste to copy its address by hand.")
        }
        let posts = !provider.formPostScopes.isDisjoint(with: tokens.scopes(default: provider.scopes))
        if authorization.paste, posts, authorization.responseMode == nil {
            throw ValidationError(
                "With these scopes \(provider.title) posts its answer, which no address shows: use --scope openid.")
        }
    }

    /// The first option of the provider's page that was given.
    var pageOption: String? {
        authorization.firstGiven(but: tokens.grant == .ciba ? "--login-hint" : nil)
            ?? (client.requestObject ? "--request-object" : nil)
    }

    var browserOption: String? { browser.browserCommand.map { _ in "--browser-command" } }

    func perform(_ context: Context) async throws -> Report {
        let state: AuthState
        do {
            state =
                if let target = try resource.identifier { try await logIn(for: target, context) } else {
                    try await logInAtProvider(context)
                }
        } catch var error as AuthStateError {
            error.hint = hint(for: error) ?? error.hint
            throw error
        }
        // A login that was not saved would be lost with the end of this program: one more try, then its error.
        try await state.save()
        let summary = StateSummary(record: state.record, now: Date())
        let expiry = StateSummary.expiry(summary.record.accessTokenExpirationDate, now: summary.now)
        let asked = summary.record.lastAuthorizationResponse?.request.scopes ?? tokens.scopes()
        let notes = [
            "Logged in. The access token ends: \(expiry).", ScopeNote.missing(summary.record.scope, asked),
            ScopeNote.beyond(summary.record.scope, asked), ScopeNote.offline(summary.record, asked),
            ScopeNote.identity(summary.record, asked),
        ]
        return Report(json: summary.json, note: notes.compactMap(\.self).joined(separator: "\n"))
    }

    /// The advice that depends on the way of the login; nil leaves the error's own.
    private func hint(for error: AuthStateError) -> String? {
        switch (error.stage, error.code) {
        case (.authorization, .timedOut) where tokens.grant == .authorizationCode: pageHint
        // No redirect URI goes with these.
        case (.token, .invalidRequest)
        where tokens.grant != .authorizationCode && resource.url == nil && error.recognizedFailure == nil:
            "Check --scope, --resource and --param against what the provider takes."
        default: nil
        }
    }

    private func logInAtProvider(_ context: Context) async throws -> AuthState {
        // Checks of the call come first, before errors of this machine.
        try connection.check()
        let session = try await context.session(.new(sealing.seal))
        var settings = Settings(
            connection, client: client, leeway: tokens.leeway, grant: tokens.grant.type,
            redirectURI: try redirectURI, profile: common.profile)
        settings.isUnsealedByChoice = session.isUnsealedByChoice
        var place = Place(session: session, settings: settings, service: session.service(settings))
        let discovered = try await configuration(place.service, context.console)
        let way = try way(context)
        var registered = try await client.register ? session.registration(at: discovered, now: Date()) : nil
        if client.registerAnew { registered = nil }
        do { return try await logIn(way, at: discovered, &place, registered: registered, context.console) } catch let
            error as AuthStateError where error.httpStatus != nil && error.doesNotKnowClient && registered != nil
        {
            context.console.note(
                "The provider no longer knows the client that registered here: registering another one.")
            return try await logIn(way, at: discovered, &place, registered: nil, context.console)
        }
    }

    /// - Parameter registered: The client that registered here before; nil for one that registers now, and for others.
    private func logIn(
        _ way: Way, at discovered: ProviderConfiguration, _ place: inout Place, registered: RegistrationResponse?,
        _ console: Console
    ) async throws -> AuthState {
        var listener: (any ExternalUserAgentSession)?
        if client.register, case .page(let userAgent) = way {
            listener = try await listen(userAgent, for: registered)
            // The logout returns to the registered redirect URI too.
            place.settings.redirectURI = listener?.redirectURI.rawValue
        }
        let party = try await party(at: discovered, place, registered: registered, listener: listener)
        let login = try login(way, of: party, listener: listener, console)
        return try await Spinner.spin(way.wait, on: console) { [place] in
            try await AuthState.logIn(login, at: place.state, annotations: place.settings.annotations)
        }
    }
}
