import ArgumentParser
import AuthStateKit

/// Prints the claims about the user.
struct UserInfo: Command {
    static let configuration = CommandConfiguration(
        commandName: "userinfo", _superCommandName: "authstate",
        abstract: "Print what the provider says about the user.")
    static let stage = AuthStateError.Stage.userinfo

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let info = try await context.session().withState { state in
            do { return try await state.userInfo() } catch var error as AuthStateError
                where error.code == .tokenRejected
            {
                let scopes = state.status.scope.map(Scope.list)
                if let scopes, !scopes.contains(.openID) {
                    error.hint = "Log in again with 'authstate login --scope', with openid in it: userinfo needs that."
                }
                throw error
            }
        }
        let note = info.isBound ? nil : "The login has no ID token: these claims may be of another user."
        return Report(json: .object(info.claims), lines: info.claims.lines, note: note)
    }
}
