import ArgumentParser
import AuthStateKit
import AuthStateOAuth
import AuthStatePlatform

/// Prints a token for another service, in exchange for one of the login's tokens.
struct Exchange: Command {
    static let configuration = CommandConfiguration(
        commandName: "exchange", _superCommandName: "authstate",
        abstract: "Print a token for another service, in exchange for the login's (RFC 8693).",
        discussion: """
            Example:
              authstate exchange --audience billing --scope read
            """)
    static let stage = AuthStateError.Stage.token

    /// The token to exchange.
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case accessToken = "access-token"
        case idToken = "id-token"
        case refreshToken = "refresh-token"

        var token: AuthState.SubjectToken {
            switch self {
            case .accessToken: .accessToken
            case .idToken: .idToken
            case .refreshToken: .refreshToken
            }
        }
    }

    @Option(help: ArgumentHelp("Which of the login's tokens to exchange.", valueName: "token"))
    var subject = Subject.accessToken

    @Option(help: ArgumentHelp("A service that the token shall be for, by name; may be repeated.", valueName: "name"))
    var audience: [String] = []

    @Option(help: ArgumentHelp("The place of such a service; may be repeated.", valueName: "uri"))
    var resource: [String] = []

    @Option(help: "What the token shall allow, in quotes.")
    var scope: String?

    @Option(
        help: ArgumentHelp(
            "What kind of token is wanted: access_token, refresh_token, id_token, jwt, or a URN. Default: what the provider "
                + "chooses.", valueName: "type"))
    var requestedType: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable with the token of the actor, who acts in the user's name.", valueName: "var"))
    var actorTokenEnv: String?

    @Option(
        help: ArgumentHelp(
            "What kind of token that is, as for --requested-type. Default: access_token.", valueName: "type"))
    var actorType: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("One more request parameter; may be repeated.", valueName: "name=value"))
    var parameters: [NamedValue] = []

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        try SecretVariable.check(actorTokenEnv, of: "--actor-token-env")
        if actorType != nil, actorTokenEnv == nil { throw ValidationError("--actor-type goes with --actor-token-env.") }
    }

    func perform(_ context: Context) async throws -> Report {
        let actor = try SecretVariable.read(actorTokenEnv, holding: "the actor's token", stage: Self.stage).map {
            TypedToken($0, type: actorType.map(TokenTypeIdentifier.init(named:)) ?? .accessToken)
        }
        var additional: Parameters = [:]
        for parameter in parameters { additional.append(parameter.name, parameter.value) }
        let wishes = additional
        let response = try await context.session().withState { state in
            do {
                return try await state.exchangeToken(
                    subject.token, audiences: audience, resources: resource, scopes: scope.map(Scope.list) ?? [],
                    requestedTokenType: requestedType.map(TokenTypeIdentifier.init(named:)), actor: actor,
                    additionalParameters: wishes)
            } catch var error as AuthStateError where error.code == .unsupportedGrantType {
                error.hint =
                    "The provider, or the client that 'authstate status' shows, has no token exchange (RFC 8693)."
                throw error
            } catch var error as AuthStateError
                where [.invalidRequest, .invalidTarget].contains(error.code) && error.recognizedFailure == nil
            {
                error.hint = "Check --audience, --resource, --scope, --subject and --requested-type."
                throw error
            }
        }
        var members = StateSummary.validity(scope: response.scope, end: response.accessTokenExpirationDate, now: Date())
        members["access_token"] = .string(response.accessToken)
        members["token_type"] = .string(response.tokenType)
        members["issued_token_type"] = JSONValue(response.issuedTokenType?.rawValue)
        let isBound = response.tokenType.lowercased() == "dpop"
        let note = isBound ? "This token is bound to the login's key (DPoP) and worth nothing without it." : nil
        return Report(json: .object(members), lines: [response.accessToken], note: note)
    }
}

extension TokenTypeIdentifier {
    /// A type by its whole name, or by the end of it for those of RFC 8693.
    fileprivate init(named name: String) {
        self.init(rawValue: name.contains(":") ? name : "urn:ietf:params:oauth:token-type:\(name)")
    }
}
