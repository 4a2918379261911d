import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Prints a fresh access token.
struct Token: Command {
    static let configuration = CommandConfiguration(
        commandName: "token", _superCommandName: "authstate", abstract: "Print a fresh access token.")
    static let stage = AuthStateError.Stage.refresh

    @Option(help: ArgumentHelp("Renew a token that is valid for less than so many seconds.", valueName: "s"))
    var minValidity: Double?

    @OptionGroup
    var renewal: RenewalOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if let minValidity, !(minValidity >= 0 && minValidity.isFinite) {
            throw ValidationError("--min-validity has to be 0 or more seconds.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let tokens = try await context.session().withState { state in
            // At most a century, which always fits a duration.
            try await state.freshTokens(validFor: .seconds(min(minValidity ?? 0, 3.2e9)), renewal.parameters)
        }
        let now = Date()
        var members = StateSummary.validity(scope: tokens.scope, end: tokens.accessTokenExpirationDate, now: now)
        members["access_token"] = .string(tokens.accessToken)
        members["authorization_details"] = tokens.authorizationDetails.map { .array($0.map(\.json)) }
        members["token_type"] = tokens.isDPoPBound ? "DPoP" : "Bearer"
        var notes: [String] = []
        if let minValidity, let end = tokens.accessTokenExpirationDate {
            let left = end.timeIntervalSince(now)
            members["min_validity_met"] = .bool(left >= minValidity)
            if left < minValidity { notes.append(shortfall(left, of: tokens)) }
        }
        if tokens.isDPoPBound {
            notes.append("This token is bound to a key (DPoP) and worth nothing without it: use 'authstate request'.")
        }
        notes += [ScopeNote.missing, ScopeNote.beyond].compactMap { $0(tokens.scope, renewal.parameters.scopes) }
        let note = notes.isEmpty ? nil : notes.joined(separator: "\n")
        return Report(json: .object(members), lines: [tokens.accessToken], note: note)
    }

    /// Says that the provider issues no tokens that last as long as asked.
    private func shortfall(_ left: Double, of tokens: Tokens) -> String {
        let lifetime = tokens.lifetime.map { "; the provider issues tokens for \(Int($0 / .seconds(1))) s" } ?? ""
        return "authstate: The token is valid for \(max(0, Int(left))) s, less than --min-validity asks\(lifetime)."
    }
}
