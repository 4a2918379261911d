import ArgumentParser
import AuthStateKit

/// Starts a program with a fresh access token.
struct Run: Command {
    static let configuration = CommandConfiguration(
        commandName: "run", _superCommandName: "authstate",
        abstract: "Start a program with a fresh access token in its environment, or at a file descriptor.",
        discussion: """
            The program takes the place of this one: signals reach it, and its exit code is the result.
              authstate run --env GITHUB_TOKEN -- gh api user
              authstate run --fd 3 -- sh -c 'read -r token <&3; …'

            It gets the token alone; the variables of the client's secret and of an assertion are withheld from it.

            With --proxy it gets no token, but the address of a proxy, in API_URL, that lives as long as the program:
              authstate run --proxy https://api.example/v1 --allow 'GET /items/**' -- agent
            """)
    static let stage = AuthStateError.Stage.refresh

    @Option(
        help: ArgumentHelp(
            "The variable that has the token. Default: ACCESS_TOKEN, unless --fd is given; with --proxy API_URL.",
            valueName: "name"))
    var env: String?

    @Option(
        help: ArgumentHelp(
            "Give the program the address of 'authstate proxy' for this base URL in place of a token.", valueName: "url"
        ))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "With --proxy: pass on only such requests, 'GET /items/*'; may be repeated.", valueName: "rule"))
    var allow: [String] = []

    @Option(
        help: ArgumentHelp("With --proxy: append a line of JSON for each request.", valueName: "file"),
        transform: FileName.expanded)
    var audit: String?

    @Option(
        help: ArgumentHelp(
            "With --proxy: listen on a Unix socket too, which needs no key.", valueName: "path"),
        transform: FileName.expanded)
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "With --proxy: ask at the terminal about each request, or the first with a method and a path (kind).",
            valueName: "which"))
    var confirm: String?

    @Option(help: ArgumentHelp("The descriptor from which the token can be read, as a line.", valueName: "number"))
    var fd: Int32?

    @Option(help: ArgumentHelp("Renew a token that is valid for less than so many seconds.", valueName: "s"))
    var minValidity: Double?

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, after --.", valueName: "command"))
    var words: [String] = []

    @OptionGroup
    var renewal: RenewalOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        guard !words.isEmpty else { throw ValidationError("Name the program after --: authstate run -- COMMAND…") }
        if let env, !env.isVariableName { throw ValidationError("--env takes the name of a variable.") }
        if proxy == nil, let word = proxyWords.first?.prefix(while: { $0 != "=" }) {
            throw ValidationError("\(word) goes with --proxy.")
        }
        if proxy != nil, fd != nil || minValidity != nil {
            throw ValidationError(
                "--proxy goes without \(fd != nil ? "--fd" : "--min-validity"): the program gets no token.")
        }
        if let fd, !(3...1023).contains(fd) { throw ValidationError("--fd has to be a number from 3 to 1023.") }
        if let minValidity, !(minValidity >= 0 && minValidity.isFinite) {
            throw ValidationError("--min-validity has to be 0 or more seconds.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        if let proxy { return try await behindProxy(proxy, context) }
        return try await context.session().withState { state in
            let tokens = try await state.freshTokens(
                validFor: .seconds(min(minValidity ?? 0, 3.2e9)), renewal.parameters)
            try tokens.checkIsBearer(for: "another program", hint: "Log in without --dpop, or use 'authstate request'.")
            var replacement = Replacement(words: words)
            replacement.withheld = Set(state.record.secretVariables)
            if let name = env ?? (fd == nil ? "ACCESS_TOKEN" : nil) {
                replacement.variables = [name: tokens.accessToken]
            }
            if let fd { replacement.input = (fd, "\(tokens.accessToken)\n") }
            return Report(replacedBy: replacement)
        }
    }

    /// The options that the proxy gets as they are.
    private var proxyWords: [String] {
        let single = [("audit", audit), ("socket", socket), ("confirm", confirm)]
        return allow.map { "--allow=\($0)" } + single.compactMap { name, value in value.map { "--\(name)=\($0)" } }
    }

    /// Starts a proxy for the program, which gets its address.
    private func behindProxy(_ base: String, _ context: Context) async throws -> Report {
        let secrets = try await context.session().load().record.secretVariables
        let words = proxyWords + renewal.words + common.words + [base]
        let address: String
        do { address = try await ProxyChild.start(words, asks: confirm != nil) } catch let refused as ProxyChild.Refused
        {
            return Report(json: .null, status: refused.status)
        }
        return Report(
            replacedBy: Replacement(
                words: self.words, variables: [env ?? "API_URL": address], withheld: Set(secrets)))
    }
}
