import ArgumentParser
import AuthStateKit
import AuthStateOAuth
import AuthStatePlatform

/// Answers git's questions for a user name and a password (gitcredentials(7)) with a fresh access token.
struct GitCredential: Command {
    static let configuration = CommandConfiguration(
        commandName: "git-credential", _superCommandName: "authstate",
        abstract: "Give git a fresh access token as the password.",
        discussion: """
            Log in once, then let git ask:
              git config --global credential.https://git.example.helper ''
              git config --global --add credential.https://git.example.helper \\
                  '!authstate git-credential --host git.example'

            The empty helper turns off those before it, which would keep a copy of the token. A token that the server refuses \
            is renewed for git's next question.
            """)
    static let stage = AuthStateError.Stage.refresh

    /// A question of git's.
    enum Operation: String, ExpressibleByArgument, CaseIterable {
        case get, store, erase
    }

    @OptionGroup
    var servers: CredentialOptions

    /// How git sends the token.
    enum AuthType: String, ExpressibleByArgument, CaseIterable {
        case basic, bearer
    }

    @Option(
        help: ArgumentHelp(
            "How git sends the token: basic, as a password, or bearer, which needs git 2.46.",
            valueName: "kind"))
    var authType = AuthType.basic

    @Argument(help: "What git wants: get, store or erase.")
    var operation: Operation

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    var isCalledByPrograms: Bool { true }

    func perform(_ context: Context) async throws -> Report {
        let question = GitQuestion(try InputFile.read("-"))
        if operation == .get, let problem = question.problem { context.console.note("authstate: \(problem)") }
        guard operation != .store, question.concerns(servers) else {
            if operation == .get, question.isPlainHTTP(of: servers) {
                context.console.note(
                    "authstate: A token goes to the server over https alone: give the remote an https URL.")
            }
            return Report(json: .object([:]))
        }
        do {
            return try await context.session().withState { state in
                try checkResource(of: state, question)
                guard operation == .get else {
                    try await erase(question, state)
                    return Report(json: .object([:]))
                }
                return try answer(to: question, with: try await state.freshTokens())
            }
        } catch let error as AuthStateError where operation == .get {
            // Without this git would ask the user for a password, which does not exist.
            let error = error.advised(for: common, await loginFacts(context))
            return Report(
                json: ["quit": true, "error": error.json], lines: ["quit=1"], note: "authstate: \(error)",
                status: ExitReason(error.kind))
        }
    }

    /// A token of a login for an API goes to that API alone.
    private func checkResource(of state: AuthState, _ question: GitQuestion) throws {
        guard let resource = try state.record.resource.map({ try ResourceIdentifier($0) }),
            resource.origin != question.origin
        else { return }
        throw AuthStateError(
            .invalidArgument, stage: .usage, "The login is for an API, and its token goes to that one alone.",
            expected: resource.origin, received: question.origin, hint: "Log in by the issuer, with another --profile.")
    }

    private func answer(to question: GitQuestion, with tokens: Tokens) throws -> Report {
        try tokens.checkIsBearer(for: "git")
        var members = [("username", question["username"] ?? servers.username), ("password", tokens.accessToken)]
        if authType == .bearer {
            guard question.capabilities.contains("authtype") else {
                throw AuthStateError(
                    .unsupported, stage: .usage, "This git cannot send a bearer token.", expected: "git 2.46 or newer",
                    hint: "Leave out --auth-type.")
            }
            // Not for other helpers to keep: it is asked for again.
            members = [
                ("capability[]", "authtype"), ("authtype", "Bearer"), ("credential", tokens.accessToken),
                ("ephemeral", "1"),
            ]
        }
        if let end = tokens.accessTokenExpirationDate {
            members.append(("password_expiry_utc", "\(Int(end.timeIntervalSince1970))"))
        }
        return Report(
            json: .object(Dictionary(uniqueKeysWithValues: members.map { ($0, .string($1)) })),
            lines: members.map { "\($0)=\($1)" })
    }

    /// The server refused a password: when it was the current token, the next question renews.
    private func erase(_ question: GitQuestion, _ state: AuthState) async throws {
        guard let refused = question["password"] ?? question["credential"], refused == state.record.accessToken else {
            return
        }
        try await state.setNeedsTokenRefresh()
    }
}

/// The attributes of a question of git's: lines of a name, an equals sign and a value.
struct GitQuestion {
    private var attributes: [String: String] = [:]
    /// What git understands of its newer protocol (`capability[]`).
    private(set) var capabilities: Set<String> = []

    init(_ input: Data) {
        for line in String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            guard let equals = line.firstIndex(of: "=") else { continue }
            let (name, value) = (String(line[..<equals]), String(line[line.index(after: equals)...]))
            if name == "capability[]" { capabilities.insert(value) }
            attributes[name] = value
        }
    }

    subscript(name: String) -> String? { attributes[name] }

    /// The reason why a question is none of git's, which a user wrote by hand; nil for the others, whose hosts may be those of
    /// another helper.
    var problem: String? {
        guard let host = self["host"], self["protocol"] != nil else {
            return "A question has the lines protocol=https and host=git.example; this one gets nothing."
        }
        guard host.contains("/") else { return nil }
        return "The host \(host.printable()) is a URL, which git never sends; it gets nothing. "
            + "Write protocol=https and host=\(host.hostOfURL ?? "git.example")."
    }

    /// The origin of the server.
    var origin: String { "\(self["protocol"] ?? "")://\(self["host"]?.lowercased() ?? "")" }

    /// Whether the server is one of these, and would be asked without TLS.
    func isPlainHTTP(of servers: CredentialOptions) -> Bool {
        self["protocol"] == "http" && self["host"].map { servers.include($0, scheme: "https") } ?? false
    }

    /// Whether a token may go to the server.
    func concerns(_ servers: CredentialOptions) -> Bool {
        self["host"].map { servers.include($0, scheme: self["protocol"] ?? "") } ?? false
    }
}
