import ArgumentParser
import AuthStateKit

/// Whose tokens are asked for, and for what.
struct TokenOptions: ParsableArguments {
    /// How the tokens are asked for.
    enum Grant: String, ExpressibleByArgument, CaseIterable {
        case authorizationCode = "authorization-code"
        case clientCredentials = "client-credentials"
    }

    @Option(help: "Whose tokens: a person's, or the client's own.")
    var grant = Grant.authorizationCode

    @Option(help: "What to ask for, in quotes. Default for a person: openid.")
    var scope: String?

    @Option(help: ArgumentHelp("A resource to get tokens for (RFC 8707); may be repeated.", valueName: "uri"))
    var resource: [String] = []

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("One more request parameter; may be repeated.", valueName: "name=value"))
    var parameters: [NamedValue] = []

    /// What to ask for, or what is asked for when nothing was said.
    func scopes(default standard: [Scope] = []) -> [Scope] {
        scope.map { $0.split(separator: " ").map { Scope(rawValue: String($0)) } } ?? standard
    }

    /// Resources and other parameters, in the order of the command line.
    var additionalParameters: Parameters {
        var result: Parameters = [:]
        for uri in resource { result.append("resource", uri) }
        for parameter in parameters { result.append(parameter.name, parameter.value) }
        return result
    }
}
