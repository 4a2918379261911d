import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows what is kept; the network is not used.
struct Status: Command {
    static let configuration = CommandConfiguration(abstract: "Show the login, without using the network.")
    static let stage = AuthStateError.Stage.store

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        var record = try await context.session().load().record
        record.authorizationError = record.authorizationError?.advised(for: common)
        let summary = StateSummary(record: record, now: Date())
        var note: String?
        if let error = record.authorizationError {
            note = "authstate: \(error)"
        } else if record.isRegistrationOnly {
            note =
                "authstate: A client is registered here, and nobody is logged in. "
                + "Log in with 'authstate login\(common.selection) --register'."
        } else if !summary.isUsable {
            note =
                "authstate: The access token has ended and cannot be renewed. "
                + "Log in again with 'authstate login\(common.selection)'."
        }
        return Report(
            json: summary.json, lines: summary.lines, note: note, status: summary.isUsable ? .done : .login)
    }
}
