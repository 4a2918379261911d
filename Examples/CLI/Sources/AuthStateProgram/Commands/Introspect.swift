import ArgumentParser
import AuthStateKit

/// Asks the provider about a token of the login.
struct Introspect: Command {
    static let configuration = CommandConfiguration(
        commandName: "introspect", _superCommandName: "authstate",
        abstract: "Print what the provider says about a token.")
    static let stage = AuthStateError.Stage.token

    @Flag(help: "Ask about the refresh token instead of the access token.")
    var refreshToken = false

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let answer = try await context.session().withState { state in
            do {
                return try await state.introspect(refreshToken ? .refreshToken : .accessToken)
            } catch var error as AuthStateError {
                let isRefused = [.invalidClient, .unauthorizedClient].contains(error.code)
                if isRefused, state.record.client.credential == ClientCredential.none {
                    error.hint =
                        "Most providers answer only clients that log in with --client-secret-env or --private-key."
                }
                throw error
            }
        }
        let members = answer.members
        return Report(json: .object(members), lines: members.lines)
    }
}
