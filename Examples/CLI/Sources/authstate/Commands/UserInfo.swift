import ArgumentParser
import AuthStateKit

/// Prints the claims about the person.
struct UserInfo: Command {
    static let configuration = CommandConfiguration(
        commandName: "userinfo", abstract: "Print what the provider says about the person.")
    static let stage = AuthStateError.Stage.userinfo

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let claims = try await context.session().withState { try await $0.userInfo() }.claims
        let lines = claims.sorted { $0.key < $1.key }.map { name, value in
            "\(name): \(value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self))"
        }
        return Report(json: .object(claims), lines: lines)
    }
}
