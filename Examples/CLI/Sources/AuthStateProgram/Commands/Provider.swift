import ArgumentParser
import AuthStateKit
import AuthStatePlatform
import AuthStateTesting

/// Runs an OpenID provider to try programs against, until it is interrupted.
struct Provider: Command {
    static let configuration = CommandConfiguration(
        commandName: "provider", _superCommandName: "authstate",
        abstract: "Run an OpenID provider on this machine, to try programs against.",
        discussion: """
            For tests alone: it listens on loopback addresses only, and its passwords and keys protect nothing. The page at its \
            issuer shows users, clients and requests, and lets things go wrong. The API is at /api/hello.
              authstate provider
              authstate login --issuer http://127.0.0.1:9400 --client-id app

            What can go wrong (--break, or on the page):
            \(OpenIDProvider.Trouble.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))
            """)
    static let stage = AuthStateError.Stage.usage

    /// The first is what clients of other languages expect where they are told nothing (OpenID Connect Core, section 15.1).
    static let algorithms: [SignatureAlgorithm] = [.rs256, .es256, .ps256, .edDSA]

    @Option(help: ArgumentHelp("Listen on this port; 0 is any free one.", valueName: "port"))
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The issuer: http://127.0.0.1 or http://localhost, with a port and a path as you like. Default: "
                + "http://127.0.0.1:\(ProviderAddress.usualPort).", valueName: "url"))
    var issuer: String?

    @Option(
        help: ArgumentHelp(
            "Users, one JSON object a line: name, password, sub, claims. Default: ada, password lovelace.",
            valueName: "file"), transform: FileName.expanded)
    var users: String?

    @Option(
        help: ArgumentHelp(
            "Clients, one JSON object a line, with the members of RFC 7591: client_id, client_secret, redirect_uris … "
                + "Default: app, which is public, and service, secret service-secret.", valueName: "file"),
        transform: FileName.expanded)
    var clients: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "A further redirect URI of the clients app and service; may be repeated. Not with --clients.",
            valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("A further scope that may be asked for; may be repeated.", valueName: "name"))
    var scopes: [String] = []

    @Option(
        help: ArgumentHelp(
            "How ID tokens are signed: \(Self.algorithms.map(\.rawValue).joined(separator: ", ")).", valueName: "alg"),
        transform: SignatureAlgorithm.offered)
    var algorithm = Self.algorithms[0]

    @Option(
        name: .customLong("break"),
        help: ArgumentHelp("Start with this fault; may be repeated.", valueName: "name"),
        transform: OpenIDProvider.Trouble.read)
    var troubles: [OpenIDProvider.Trouble] = []

    @Option(help: ArgumentHelp("The lifetime of access tokens, in seconds.", valueName: "s"))
    var tokenLifetime = 3600

    @Option(
        help: ArgumentHelp(
            "How long a used refresh token is accepted again, in seconds; later it revokes the grant.", valueName: "s"))
    var refreshTokenGrace = 0

    @Option(
        help: ArgumentHelp(
            "Keep grants, tokens, registrations and keys in this file, for the next start.", valueName: "file"),
        transform: FileName.expanded)
    var keep: String?

    @Flag(help: "Let the first user log in and consent without a page.")
    var automatic = false

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    var runsUntilInterrupted: Bool { true }

    func validate() throws {
        _ = try ProviderAddress(issuer: issuer, port: port)
        if common.state != nil || common.runtime || common.profile != "default" || common.timeout != nil {
            throw ValidationError(
                "provider goes without --state, --runtime, --profile and --timeout: it has no login, and runs until it is "
                    + "interrupted. --keep names its own file.")
        }
        if common.report != nil {
            throw ValidationError("provider has no report. Use --report with the command that logs in at it.")
        }
        if !(tokenLifetime > 0 && tokenLifetime <= 31_536_000) {
            throw ValidationError("--token-lifetime has to be more than 0 and at most 31536000 seconds.")
        }
        if !(0...31_536_000).contains(refreshTokenGrace) {
            throw ValidationError("--refresh-token-grace has to be from 0 to 31536000 seconds.")
        }
        for uri in redirectURIs where (try? RedirectURI(uri)) == nil {
            throw ValidationError("--redirect-uri has to be an absolute URI without a fragment: \(uri.printable())")
        }
        if let wrong = scopes.first(where: { $0.isEmpty || $0.contains(where: \.isWhitespace) }) {
            throw ValidationError("--scope has to be one name, and may be repeated: '\(wrong.printable(60))'")
        }
        if !redirectURIs.isEmpty, clients != nil {
            throw ValidationError("--redirect-uri cannot be used with --clients: put redirect_uris in the file.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let address = try ProviderAddress(issuer: issuer, port: port)
        var configuration = OpenIDProvider.Configuration()
        configuration.login = automatic ? .automatic : .page
        configuration.accessTokenLifetime = .seconds(tokenLifetime)
        configuration.refreshTokenGrace = .seconds(refreshTokenGrace)
        configuration.signingAlgorithm = algorithm
        configuration.protectedResource.metadataPlaces = [.challenge, .path]
        configuration.scopes.formUnion(scopes)
        configuration.issuerPath = address.path
        configuration.isNamedLocalhost = address.isLocalhost
        configuration.file = keep
        if let users { configuration.users = try ProviderLines.read(users, "users", OpenIDProvider.User.init(line:)) }
        if let clients {
            configuration.clients = try ProviderLines.read(clients, "clients", OpenIDProvider.Client.init(line:))
        }
        for index in configuration.clients.indices { configuration.clients[index].redirectURIs += redirectURIs }
        let (requests, log) = AsyncStream.makeStream(
            of: OpenIDProvider.LogLine.self, bufferingPolicy: .bufferingNewest(1024))
        configuration.log = { log.yield($0) }
        let provider = try await OpenIDProvider(configuration: configuration, port: address.port)
        provider.troubles = Set(troubles)
        context.console.show(announcement(of: provider, configuration))
        for await line in requests { context.console.note("\(line)") }
        let statistics = provider.statistics
        context.console.note(
            "\(statistics.refreshRequests) requests with a refresh token, \(statistics.refreshTokenReuses) of them with a used one."
        )
        await provider.stop()
        return .printed
    }

    private func announcement(of provider: OpenIDProvider, _ configuration: OpenIDProvider.Configuration) -> Report {
        let (issuer, api) = (provider.issuer, provider.url(of: .resource).absoluteString)
        var lines = [
            "OpenID provider for tests only. Press Ctrl-C to stop it.",
            "  Page    \(provider.url(of: .home).absoluteString)",
            "  Users   " + configuration.users.map { "\($0.name), password \($0.password)" }.joined(separator: "; "),
            "  Clients "
                + configuration.clients.map { "\($0.id)\($0.secret.map { ", secret \($0)" } ?? "")" }.joined(
                    separator: "; "),
            "  API     \(api)",
        ]
        if !troubles.isEmpty { lines.append("  Broken  " + troubles.map(\.rawValue).joined(separator: ", ")) }
        lines.append("To begin:")
        // A login by the program comes back at /callback on this machine.
        let usable = configuration.clients.first { client in
            client.grantTypes.contains(.authorizationCode) && client.redirectURIs.contains("http://127.0.0.1/callback")
        }
        if let usable {
            lines.append(
                "  \(usable.secret.map { "SECRET=\($0) " } ?? "")authstate login --issuer \(issuer) --client-id \(usable.id)"
                    + (usable.secret == nil ? "" : " --client-secret-env SECRET")
                    + " --scope \"openid profile offline_access\"")
        }
        let own = configuration.clients.first { $0.secret != nil && $0.grantTypes.contains(.clientCredentials) }
        lines.append(
            own.map { own in
                "  curl -u \(own.id):\(own.secret ?? "") -d 'grant_type=client_credentials&scope=api' "
                    + provider.url(of: .token).absoluteString
            } ?? "  curl \(provider.url(of: .discovery).absoluteString)")
        let json: JSONValue = [
            "issuer": .string(issuer), "api": .string(api), "page": .string(provider.url(of: .home).absoluteString),
            "users": .array(configuration.users.map { .string($0.name) }),
            "clients": .array(configuration.clients.map { .string($0.id) }),
        ]
        return Report(json: json, lines: [issuer], note: lines.joined(separator: "\n"))
    }
}

extension OpenIDProvider.Trouble {
    /// Returns the trouble of this name.
    fileprivate static func read(_ name: String) throws -> Self {
        guard let trouble = Self(rawValue: name) else {
            throw ValidationError(
                "Unknown name '\(name.printable(40))'. Names: " + allCases.map(\.rawValue).joined(separator: ", ") + "."
            )
        }
        return trouble
    }
}

extension SignatureAlgorithm {
    static func offered(_ name: String) throws -> Self {
        guard let known = Provider.algorithms.first(where: { $0.rawValue == name.uppercased() || $0.rawValue == name })
        else {
            let names = Provider.algorithms.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--algorithm has to be one of \(names), not '\(name.printable(40))'.")
        }
        return known
    }
}

/// Where a provider listens, and how its issuer is written.
struct ProviderAddress {
    static let usualPort = 9400
    let port: UInt16
    let path: String
    let isLocalhost: Bool

    /// - Throws: `ValidationError` for an issuer of another machine.
    init(issuer: String?, port: Int?) throws {
        guard let parts = URLComponents(string: issuer ?? "http://127.0.0.1"), parts.scheme == "http",
            let host = parts.host,
            ["127.0.0.1", "localhost"].contains(host), parts.query == nil, parts.fragment == nil, parts.user == nil
        else {
            throw ValidationError(
                "--issuer has to be http://127.0.0.1 or http://localhost with a port and a path as you like: this provider is "
                    + "for tests on this machine alone.")
        }
        if let port, let own = parts.port, own != port {
            throw ValidationError("--port \(port) is another port than that of --issuer.")
        }
        let chosen = port ?? parts.port ?? Self.usualPort
        guard let number = UInt16(exactly: chosen) else {
            throw ValidationError("--port has to be a number from 0 to 65535.")
        }
        self.port = number
        path = parts.path == "/" ? "" : parts.path
        isLocalhost = host == "localhost"
        if path.hasSuffix("/") { throw ValidationError("--issuer has to end without a slash.") }
    }
}
