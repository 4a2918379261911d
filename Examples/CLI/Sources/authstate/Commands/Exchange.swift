import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints a token for another service, got for one of the login's own.
struct Exchange: Command {
    static let configuration = CommandConfiguration(
        abstract: "Print a token for another service, in exchange for the login's (RFC 8693).",
        discussion: """
            Example:
              authstate exchange --audience billing --scope read
            """)
    static let stage = AuthStateError.Stage.token

    /// Which token is exchanged.
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

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let response = try await context.session().withState { state in
            try await state.exchangeToken(
                subject.token, audiences: audience, resources: resource, scopes: scope.map(Scope.list) ?? [],
                requestedTokenType: requestedType.map(TokenTypeIdentifier.init(named:)))
        }
        var members = StateSummary.validity(
            scope: response.scope, end: response.accessTokenExpirationDate, now: Date())
        members["access_token"] = .string(response.accessToken)
        members["token_type"] = .string(response.tokenType)
        members["issued_token_type"] = JSONValue(response.issuedTokenType?.rawValue)
        return Report(json: .object(members), lines: [response.accessToken])
    }
}

extension TokenTypeIdentifier {
    /// A type by its whole name, or by the end of it for those of RFC 8693.
    fileprivate init(named name: String) {
        self.init(rawValue: name.contains(":") ? name : "urn:ietf:params:oauth:token-type:\(name)")
    }
}
