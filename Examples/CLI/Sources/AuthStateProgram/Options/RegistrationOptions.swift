import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// The metadata of a client that registers.
struct RegistrationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The client's name as users see it. Default: authstate.", valueName: "name"))
    var clientName: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable with the token that allows to register, for providers that want one.",
            valueName: "var"))
    var initialAccessTokenEnv: String?

    /// The name that people see, unless an option gives another.
    static let standardName = "authstate"

    /// The redirect URI of a client without a page, where the provider requires one for every grant.
    static let redirectURI = "http://127.0.0.1/callback"

    /// The first option that was given.
    var firstGiven: String? {
        clientName != nil ? "--client-name" : initialAccessTokenEnv != nil ? "--initial-access-token-env" : nil
    }

    /// A request with the name and the token in it.
    func request(
        _ configuration: ProviderConfiguration, redirectURIs: [RedirectURI],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> RegistrationRequest {
        var request = RegistrationRequest(configuration, redirectURIs: redirectURIs)
        request.clientName = clientName ?? Self.standardName
        request.initialAccessToken = try initialAccessToken(environment)
        return request
    }

    /// The token that allows to register; nil when no option names it.
    func initialAccessToken(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String? {
        try SecretVariable.read(
            initialAccessTokenEnv, holding: "the token that allows to register", stage: .registration,
            environment: environment)
    }
}
