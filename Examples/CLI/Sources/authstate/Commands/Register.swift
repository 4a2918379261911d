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
        usage: "authstate register --issuer <url> [<options>]",
        discussion: """
            Unless options say otherwise it is a public client, for logins in the browser, with the redirect URI \
            http://127.0.0.1/callback and any port.
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
    var common: CommonOptions

    func validate() throws {
        try connection.requireProvider()
        try key.validateForRegistration()
    }

    func perform(_ context: Context) async throws -> Report {
        let session = try context.session()
        let settings = Settings(connection, redirectURI: client.redirectURIs.first)
        let service = session.service(settings)
        try connection.check()
        let configuration = try await connection.configuration(service)
        if try await session.registration(at: configuration, now: Date()) != nil {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "A client is registered here already.",
                hint: "Use it with 'authstate login --register', or name another login with --profile.")
        }
        // There are providers that want one whatever the grant is.
        let uris = [try RedirectURI(RegistrationOptions.redirectURI)]
        var request = try registration.request(configuration, redirectURIs: uris)
        request.postLogoutRedirectURIs = uris
        try request.prepare(for: client.grant.isEmpty ? [.authorizationCode] : client.grant, key: key)
        try client.apply(to: &request)
        let registered = try await session.register(
            request, privateKey: key.credential, settings: settings, service: service)
        return RegistrationSummary(registered, issuer: configuration.issuer).report(note: "Registered.")
    }
}
