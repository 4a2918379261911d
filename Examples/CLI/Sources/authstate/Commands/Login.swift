import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Logs a person in, or the client itself, anew over whatever was kept before.
struct Login: Command {
    static let configuration = CommandConfiguration(abstract: "Log in, and keep what the provider grants.")
    static let stage = AuthStateError.Stage.authorization
    static let timeLimit = 300.0

    @OptionGroup(title: "Provider")
    var connection: ConnectionOptions

    @OptionGroup(title: "Client")
    var client: ClientOptions

    @OptionGroup(title: "Tokens")
    var tokens: TokenOptions

    @OptionGroup(title: "The provider's page")
    var authorization: AuthorizationOptions

    @OptionGroup(title: "The provider's page")
    var browser: BrowserOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if authorization.isHybrid, tokens.scope != nil, !tokens.scopes().contains(.openID) {
            throw ValidationError("--response-type \"code id_token\" needs openid in --scope.")
        }
        guard tokens.grant == .clientCredentials else { return }
        if !client.isConfidential {
            throw ValidationError("--grant client-credentials needs --client-secret-env or --private-key.")
        }
        if let option = authorization.firstGiven ?? browser.browserCommand.map({ _ in "--browser-command" }) {
            throw ValidationError("--grant client-credentials goes without \(option): no page is shown.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let session = try context.session()
        let settings = Settings(connection, redirectURI: authorization.redirectURI)
        let service = session.service(settings)
        let state: AuthState
        switch tokens.grant {
        case .authorizationCode:
            let userAgent = try userAgent(context)
            state = try await AuthState.authorize(
                request(try await configuration(service)), presenting: userAgent,
                credential: client.credential, service: service, store: session.store, key: session.key,
                annotations: settings.annotations, options: session.options(settings))
        case .clientCredentials:
            state = try await AuthState.clientCredentials(
                configuration: configuration(service), clientID: client.clientID,
                credential: client.credential, scopes: tokens.scopes(),
                additionalParameters: tokens.additionalParameters,
                service: service, store: session.store, key: session.key, annotations: settings.annotations,
                options: session.options(settings))
        }
        // A login that could not be kept would end with this program: one more try, then its error.
        try await state.save()
        let summary = StateSummary(record: state.snapshot, now: Date())
        let expiry = StateSummary.expiry(summary.record.accessTokenExpirationDate, now: summary.now)
        return Report(json: summary.json, note: "Logged in. The access token ends: \(expiry).")
    }

    private func configuration(_ service: AuthorizationService) async throws -> ServiceConfiguration {
        var configuration = client.adapt(try await service.discoverConfiguration(issuer: connection.issuer))
        if let leeway = connection.leeway { configuration.idTokenPolicy.leeway = leeway }
        return configuration
    }

    private func request(_ configuration: ServiceConfiguration) throws -> AuthorizationRequest {
        var request = AuthorizationRequest(
            configuration: configuration, clientID: client.clientID, scopes: tokens.scopes(default: [.openID]))
        try authorization.apply(to: &request)
        request.additionalParameters = tokens.additionalParameters
        return request
    }

    private func userAgent(_ context: Context) throws -> any ExternalUserAgent {
        if authorization.paste { return PasteUserAgent() }
        return context.userAgent(try browser.browser(for: .authorization), for: .login)
    }
}
