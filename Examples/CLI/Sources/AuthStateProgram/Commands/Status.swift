import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Shows the stored login; the network is not used.
struct Status: Command {
    static let configuration = CommandConfiguration(
        commandName: "status", _superCommandName: "authstate",
        abstract: "Show the login, without using the network.")
    static let stage = AuthStateError.Stage.store

    @Flag(help: "Show the claims of the ID token too, as they were verified when it came.")
    var claims = false

    @Option(
        help: ArgumentHelp(
            "End with 77 when the login ends in less than this many seconds, where the provider tells its end.",
            valueName: "seconds"))
    var minLoginValidity: Double?

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if let minLoginValidity, !(minLoginValidity >= 0 && minLoginValidity.isFinite) {
            throw ValidationError("--min-login-validity is a number of seconds.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let session = try await context.session()
        var record = try await session.load().record
        record.authorizationError = record.authorizationError?.advised(for: common, LoginFacts(record))
        let now = Date()
        let summary = StateSummary(record: record, now: now)
        let left = record.loginExpirationDate?.timeIntervalSince(now)
        let endsTooSoon = minLoginValidity.flatMap { needed in left.map { $0 < needed } } ?? false
        let selection = common.loginSelection(for: record.resource)
        var note: String?
        if let error = record.authorizationError {
            note = "authstate: \(error)"
        } else if record.isRegistrationOnly {
            note =
                "authstate: A client is registered here, but no user is logged in. "
                + "Log in with 'authstate login\(selection)\(record.resource == nil ? " --register" : "")'."
        } else if !summary.isUsable {
            note =
                "authstate: The access token has ended and cannot be renewed. "
                + "Log in again with 'authstate login\(selection)'."
        } else if endsTooSoon, let left {
            note =
                "authstate: This login ends in \(max(0, Int(left))) s. Log in again with 'authstate login\(selection)'."
        }
        var json = summary.json.adding(["sealed": JSONValue(session.seal?.name)])
        var lines = summary.lines + ["sealed: \(session.seal?.name ?? "no")"]
        if claims, let token = try record.idToken.map({ try IDToken(parsing: $0) }) {
            let members = token.claims.objectValue ?? [:]
            json = json.adding(["id_token_claims": .object(members)])
            lines += ["", "ID token:"] + members.lines.map { "  \($0)" }
        } else if claims {
            note = [note, "There is no ID token: the login did not ask for the scope openid."].compactMap { $0 }
                .joined(separator: "\n")
        }
        return Report(json: json, lines: lines, note: note, status: summary.isUsable && !endsTooSoon ? .done : .login)
    }
}

extension JSONValue {
    /// The object with more members.
    fileprivate func adding(_ members: [String: JSONValue]) -> JSONValue {
        .object((objectValue ?? [:]).merging(members) { $1 })
    }
}
