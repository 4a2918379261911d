import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Renews the tokens, fresh or not.
struct Refresh: Command {
    static let configuration = CommandConfiguration(
        commandName: "refresh", _superCommandName: "authstate",
        abstract: "Renew the tokens now.")
    static let stage = AuthStateError.Stage.refresh

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let record = try await context.session().withState { state in
            try await state.refresh()
            return state.record
        }
        let summary = StateSummary(record: record, now: Date())
        return Report(json: summary.json, lines: summary.lines, note: "Renewed.")
    }
}
