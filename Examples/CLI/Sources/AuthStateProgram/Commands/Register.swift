import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Registers a client and keeps it for later logins.
struct Register: Command {
    static let configuration = CommandConfiguration(
        commandName: "register", _superCommandName: "authstate",
        abstract: "Register a client at the provider, for 'login --register' to use.",
        usage: "authstate register --issuer <url> [<options>]",
        discussion: """
            Unless options say otherwise it is for logins in the browser, without a secret where the provider takes such \
            clients, with the redirect URI \
            http://127.0.0.1:<port>/callback and a port that is free now; 'login --register' listens there.
            """)
    static let stage = AuthStateError.Stage.registration

    @OptionGroup(title: "Provider")
    var connection: ConnectionOptions

    @OptionGroup(title: "Client")
    var registration: RegistrationOptions

    @OptionGroup(title: "Client")
    var client: RegisteredClientOptions

    @OptionGroup(title: "Client")
    var key: KeyOptions

    @OptionGroup(title: "Common options")
    var sealing: SealOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        try connection.requireProvider()
        try key.validateForRegistration()
    }

    func perform(_ context: Context) async throws -> Report {
        let session = try await context.session(.new(sealing.seal))
        var settings = Settings(connection, redirectURI: client.redirectURIs.first, profile: common.profile)
        settings.isUnsealedByChoice = session.isUnsealedByChoice
        let service = session.service(settings)
        try connection.check()
        let configuration = try await connection.configuration(service)
        if try await session.registration(at: configuration, now: Date()) != nil {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "A client is registered here already.",
                hint: "Use it with 'authstate login --register', or name another login with --profile.")
        }
        let uris = try await client.redirectURIs.isEmpty && client.hasPage ? [Self.freeRedirectURI()] : []
        var request = try registration.request(configuration, redirectURIs: uris)
        request.postLogoutRedirectURIs = uris
        try request.metadata.prepare(for: client.grants, key: key, at: configuration)
        try client.apply(to: &request.metadata)
        let registered = try await session.register(
            request, privateKey: key.credential, settings: settings, service: service)
        return RegistrationSummary(registered, issuer: configuration.issuer).report(note: "Registered.")
    }

    /// A redirect URI on this machine with a port that is free now, for providers that compare ports.
    private static func freeRedirectURI() async throws -> RedirectURI {
        let session = try await LoopbackUserAgent(browser: .custom { _ in }).prepare(redirectURI: nil, for: .login)
        await session.finish(.cancelled)
        return session.redirectURI
    }
}
