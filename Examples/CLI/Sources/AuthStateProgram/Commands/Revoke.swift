import ArgumentParser
import AuthStateKit

/// Revokes the grant, without the browser.
struct Revoke: Command {
    static let configuration = CommandConfiguration(
        commandName: "revoke", _superCommandName: "authstate",
        abstract: "Revoke the tokens at the provider; the login is over.")
    static let stage = AuthStateError.Stage.logout

    @Flag(help: "Revoke the access token alone; the login stays, and its next use renews.")
    var accessToken = false

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let isOver = try await context.session().withState { state in
            guard accessToken else {
                try await state.revoke()
                return true
            }
            let record = state.record
            guard let token = record.lastTokenResponse?.accessToken else { throw AuthStateError.notLoggedIn }
            try await state.service.revoke(RevocationRequest(record.client, token: token, tokenTypeHint: .accessToken))
            try await state.setNeedsTokenRefresh()
            return !state.status.canRenew
        }
        let note = isOver ? "Revoked. The login is over." : "Revoked. The next command renews the access token."
        return Report(json: ["revoked": true, "authorized": .bool(!isOver)], note: note)
    }
}
