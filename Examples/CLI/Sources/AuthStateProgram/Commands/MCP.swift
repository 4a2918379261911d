import ArgumentParser
import AuthStateKit
import AuthStatePlatform
import AuthStateResource

/// A bridge for hosts of the Model Context Protocol.
struct MCP: Command {
    static let configuration = CommandConfiguration(
        commandName: "mcp", _superCommandName: "authstate",
        abstract: "Connect a host of the Model Context Protocol to a server that wants a login.",
        usage: "authstate mcp <url> [<options>]",
        discussion: """
            A host starts it as a server on standard input and output:
              {"mcpServers": {"notes": {"command": "authstate", "args": ["mcp", "https://mcp.example/mcp"]}}}

            It logs in in the browser when the server asks for it, once for all hosts and all their processes, and keeps the \
            login; the profile is named after the URL. Where no browser can be shown, the error of a call has the address and \
            the code for another device, if the server has those; else log in before:
              authstate mcp https://mcp.example/mcp --grant device
              authstate login --for https://mcp.example/mcp --profile mcp.example+mcp --paste

            A program without a user logs in by a key or a secret:
              authstate mcp https://mcp.example/mcp --grant client-credentials --client-id job --private-key key.pem \
            --issuer https://op.example
            """)
    static let stage = AuthStateError.Stage.resource
    static let timeLimit = Login.timeLimit

    /// A user may need long to confirm a login on another device; other bridges wait for it ten minutes.
    var timeLimit: Double { isForBridge && tokens.grant == .device ? Self.deviceLimit : Self.timeLimit }
    static let deviceLimit = 540.0

    @Argument(help: "The server's URL: https, or http on this machine.")
    var url: String

    @Flag(name: .customLong("for-bridge"), help: ArgumentHelp("Log in for a bridge.", visibility: .hidden))
    var isForBridge = false

    @OptionGroup(title: "Provider")
    var connection: ConnectionOptions

    @OptionGroup(title: "Client")
    var client: ClientOptions

    @OptionGroup(title: "Client")
    var link: ResourceLinkOptions

    @OptionGroup(title: "Registering")
    var registration: RegistrationOptions

    @OptionGroup(title: "Tokens")
    var tokens: TokenOptions

    @OptionGroup(title: "The provider's page")
    var authorization: AuthorizationOptions

    @OptionGroup(title: "The provider's page")
    var browser: BrowserOptions

    @OptionGroup(title: "Common options")
    var sealing: SealOptions

    @OptionGroup(title: "Common options")
    var given: CommonOptions

    /// The common options: without `--profile` each server has a login of its own.
    var common: CommonOptions {
        var options = given
        if options.profile == AuthStateKey.default.rawValue { options.profile = Self.profile(of: url) }
        return options
    }

    /// Returns the name of the login for a server: its URL, with + for the slashes, and without the scheme.
    static func profile(of url: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~:[]".utf8)
        let name = (try? ResourceIdentifier(url))?.rawValue ?? url
        let rest = name.firstRange(of: "://").map { name[$0.upperBound...] } ?? name[...]
        return rest.utf8.reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16, uppercase: true)
            let encoded = byte == UInt8(ascii: "/") ? "+" : byte < 16 ? "%0\(digits)" : "%\(digits)"
            text += plain.contains(byte) ? String(UnicodeScalar(byte)) : encoded
        }
    }

    var runsUntilInterrupted: Bool { !isForBridge }

    func validate() throws {
        let foreign: [(String, Bool, String)] = [
            (
                "--state", given.state != nil,
                "in one file there is no room for the order of several processes; name the login with --profile"
            ),
            ("--json", common.json, "standard output carries the protocol's messages"),
            ("--report", common.report != nil, "use it with 'authstate login --for'"),
            ("--paste", authorization.paste, "log in before with 'authstate login --for' and --paste"),
        ]
        if let (option, _, reason) = foreign.first(where: \.1) {
            throw ValidationError("mcp goes without \(option): \(reason).")
        }
        do { try login.validate() } catch let error as ValidationError {
            throw ValidationError(error.message.replacing("--for", with: "mcp"))
        }
    }

    /// The login that the options describe. What a bridge has no option for is set here: to read it from an empty list of
    /// arguments takes a tenth of the program's start.
    var login: Login {
        var login = Login()
        (login.connection, login.client, login.registration) = (connection, client, registration)
        (login.tokens, login.authorization, login.browser) = (tokens, authorization, browser)
        (login.sealing, login.common) = (sealing, common)
        login.identity = IdentityOptions()
        (login.identity.identifier, login.identity.allowedIssuers) = (nil, [])
        login.backchannel = BackchannelOptions()
        (login.backchannel.bindingMessage, login.backchannel.userCodeEnv) = (nil, nil)
        login.resource = ResourceOptions()
        (login.resource.url, login.resource.link) = (url, link)
        return login
    }

    /// The protocol's extensions for this kind of login. That of workloads has the name which the protocol's conformance suite
    /// and its SDKs use (SEP-1933).
    var extensions: [String] {
        switch tokens.grant {
        case .clientCredentials: ["io.modelcontextprotocol/oauth-client-credentials"]
        case .jwtBearer where client.hasIdentityAssertion:
            ["io.modelcontextprotocol/enterprise-managed-authorization"]
        case .jwtBearer where client.assertion != nil: ["io.modelcontextprotocol/auth/wif"]
        default: []
        }
    }

    func loginFacts(_ context: Context) async -> LoginFacts { login.knownFacts }

    /// Runs; a login for a bridge has the time of the way of the stored one.
    func run() async throws {
        let keys = keys
        var command = self
        if isForBridge { command.tokens = await login.keepingWay(keys).tokens }
        try await command.run(keys)
    }

    func perform(_ context: Context) async throws -> Report {
        let login = login
        // A host may go before its messages are read.
        signal(SIGPIPE, SIG_IGN)
        guard let target = try login.resource.identifier, let url = URL(string: url) else { return .printed }
        if isForBridge {
            try await BridgeLogin.perform {
                let (session, access) = try await login.access(
                    to: target, context, tell: { BridgeLogin.tell($0, within: context.timeLimit) })
                return try await session.withAccess(access, $0)
            }
            return .printed
        }
        // A program logs in by itself, and shows no page.
        let isElsewhere = tokens.grant.isPersonal
        let link = BridgeLink { try await login.access(to: target, context, isElsewhere: isElsewhere) }
        let (common, facts) = (common, await loginFacts(context))
        let bridge = MCPBridge(
            link, url: url, output: LineOutput(descriptor: STDOUT_FILENO), console: context.console,
            timeout: .seconds(context.timeLimit), extensions: extensions, advise: { $0.advised(for: common, facts) })
        await bridge.run(LineInput(descriptor: STDIN_FILENO))
        return .printed
    }
}
