import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Registers a client and keeps it for the logins to come.
struct Register: Command {
    static let configuration = CommandConfiguration(
        abstract: "Register a client at the provider, for 'login --register' to use.",
        usage: "authstate register --issuer <url> [<options>]")
    static let stage = AuthStateError.Stage.registration

    @OptionGroup(title: "Provider")
    var connection: ConnectionOptions

    @OptionGroup(title: "Client")
    var registration: RegistrationOptions

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "Where answers may go; may be repeated. Default: http://127.0.0.1/callback, any port.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        help: ArgumentHelp(
            "What the client will use; may be repeated. Default: authorization-code.", valueName: "grant"))
    var grant: [TokenOptions.Grant] = []

    @Option(help: "What it may ask for, in quotes. Default: what the provider allows.")
    var scope: String?

    @OptionGroup(title: "Client")
    var key: KeyOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if let method = key.authMethod, method == .apple || method.needsCertificate {
            throw ValidationError("--auth-method \(method.rawValue) is not for clients that register themselves.")
        }
        for uri in redirectURIs {
            do { _ = try RedirectURI(uri) } catch let error as AuthStateError {
                throw ValidationError("--redirect-uri: \(error.message)")
            }
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let session = try context.session()
        let settings = Settings(connection, redirectURI: redirectURIs.first)
        let service = session.service(settings)
        try connection.check()
        let configuration = try await connection.configuration(service)
        if try await session.registration(at: configuration, now: Date()) != nil {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "A client is registered here already.",
                hint: "Use it with 'authstate login --register', or name another login with --profile.")
        }
        // There are providers that want one whatever the grant is.
        let uris = redirectURIs.isEmpty ? [RegistrationOptions.redirectURI] : redirectURIs
        var request = try registration.request(configuration, redirectURIs: try uris.map(RedirectURI.init))
        request.scopes = scope.map(Scope.list) ?? []
        request.postLogoutRedirectURIs = request.redirectURIs
        try request.prepare(for: grant.isEmpty ? [.authorizationCode] : grant, key: key)
        let client = try await service.register(request)
        try await session.keep(
            client, at: configuration, credential: key.credential ?? client.credential, settings: settings,
            service: service)
        let summary = RegistrationSummary(registration: client, issuer: configuration.issuer)
        return Report(json: summary.json, lines: summary.lines, note: "Registered.")
    }
}
