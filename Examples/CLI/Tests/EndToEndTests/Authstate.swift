import AuthStateKit
import Foundation
import Testing

/// The built program and a user who uses it: a state file, a browser, and mostly a provider to log in at.
struct Authstate: Sendable {
    /// The program lies beside the tests.
    static let path =
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("authstate").path

    private let process: ProviderProcess?
    let folder: TemporaryFolder
    let browser: LoginBrowser
    /// The variables that the program sees beside those of this process.
    var environment = ["CLIENT_SECRET": "s3cret", "LONG_SECRET": "s3cret-s3cret-s3cret-s3cret-s3cret"]
    var stateFile: String

    init(_ provider: Provider) throws { try self.init(provider.process) }

    /// - Parameter provider: Nil for logins that find their own.
    init(_ provider: ProviderProcess?) throws {
        process = provider
        folder = try TemporaryFolder()
        browser = try LoginBrowser()
        stateFile = folder("state/login.json")
    }

    /// A user who has logged in.
    static func loggedIn(_ provider: Provider, client: String = "public") async throws -> Authstate {
        let authstate = try Authstate(provider)
        try await authstate.logIn(client: client)
        return authstate
    }

    /// The provider.
    var provider: ProviderProcess {
        guard let process else { preconditionFailure("This user has no provider.") }
        return process
    }

    /// Starts a command on the state file.
    func start(_ arguments: [String]) throws -> Program {
        try Program.start(
            [Self.path] + arguments + ["--state", stateFile, "--timeout", "120"], environment: environment)
    }

    /// Runs a command on the state file to its end.
    func callAsFunction(_ arguments: [String]) async throws -> Program.Result { try await start(arguments).result() }

    /// Runs a command on the state file to its end.
    func callAsFunction(_ arguments: String...) async throws -> Program.Result { try await self(arguments) }

    /// Runs a command that has to succeed, and reads its JSON.
    func json(_ arguments: String...) async throws -> JSONValue {
        let result = try await self(arguments + ["--json"])
        try #require(result.status == 0, "\(arguments.first ?? ""): \(result.status) \(result.output) \(result.errors)")
        return try result.json()
    }

    /// The arguments of a login that tests have in common.
    func loginArguments(
        client: String = "public", decision: LoginBrowser.Decision = .accept, proof: [String]? = nil
    ) -> [String] {
        let authority = provider.certificateAuthorityFile.map { ["--ca-file", $0] } ?? []
        let proof = proof ?? self.proof(of: client)
        return [
            "login", "--issuer", provider.issuer, "--client-id", client, "--scope",
            "openid profile email offline_access", "--redirect-uri", provider.redirectURI, "--browser-command",
            browser.commandLine(decision),
        ] + authority + proof
    }

    /// How a client authenticates; glewlwyd wants the called endpoint's URL as the audience of assertions.
    private func proof(of client: String) -> [String] {
        switch client {
        case "public", "hybrid": []
        case "secretjwt":
            ["--client-secret-env", "LONG_SECRET", "--auth-method", "secret-jwt", "--assertion-audience", "endpoint"]
        case "keyjwt":
            [
                "--private-key", provider.clientKeyFile, "--key-id", "client-1", "--auth-method", "private-key-jwt",
                "--assertion-audience", "endpoint",
            ]
        case "post": ["--client-secret-env", "CLIENT_SECRET", "--auth-method", "post"]
        default: ["--client-secret-env", "CLIENT_SECRET"]
        }
    }

    /// Logs in, which has to succeed.
    @discardableResult
    func logIn(client: String = "public") async throws -> JSONValue {
        let result = try await self(loginArguments(client: client) + ["--json"])
        try #require(result.status == 0, "\(result.output) \(result.errors)")
        return try result.json()
    }

    /// The stored state, for tests to read or to damage.
    func state() async throws -> AuthState {
        let transport = SystemTransport(certificateAuthorityFile: process?.certificateAuthorityFile)
        return try await AuthState.restore(
            at: AuthState.Place(
                FileAuthStateStore(file: stateFile), service: AuthorizationService(transport: transport)))
    }

    /// Makes the stored access token an expired one.
    func expire() async throws {
        let state = try await state()
        var response = try #require(state.record.lastTokenResponse)
        response.issuedAt = Date(timeIntervalSinceNow: -7200)
        response.accessTokenExpirationDate = Date(timeIntervalSinceNow: -3600)
        try await state.update(with: response)
    }

    /// A copy of the stored state, in memory; the program does not notice its use.
    func copy() async throws -> AuthState {
        let state = try await state()
        var record = state.record
        if case .environment(let name) = record.client.credential.source, let secret = environment[name] {
            record.client.credential = .secret(secret, method: record.client.credential.method)
        }
        return AuthState(record, service: state.service, store: InMemoryAuthStateStore())
    }

    /// Redeems the stored refresh token without the program's knowledge.
    func spendRefreshToken() async throws { try await copy().refresh() }
}

extension TemporaryFolder {
    /// Makes a file that its owner alone can read, and returns its path.
    @discardableResult
    func secret(_ name: String, containing text: String, permissions: Int = 0o600) throws -> String {
        let path = try file(name, containing: text)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        return path
    }

    /// Makes a file with a private key, and returns its path.
    func file(of key: SigningKey) throws -> String {
        try secret("key.json", containing: String(decoding: key.privateKey.privateJSON.serialized(), as: UTF8.self))
    }
}

extension [String] {
    /// The arguments with another value of an option.
    func with(_ option: String, _ value: String) -> [String] {
        var arguments = self
        if let index = firstIndex(of: option) { arguments[index + 1] = value }
        return arguments
    }
}

extension Program {
    /// Runs a body, and ends the program after it.
    func during<R>(_ body: () async throws -> R) async throws -> R {
        do {
            let result = try await body()
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }
}

extension Program.Result {
    /// The one object on standard output.
    func json() throws -> JSONValue {
        #expect(output.hasSuffix("}\n") && output.count { $0 == "\n" } == 1, "one line of JSON: \(output)")
        return try JSONValue(parsing: Array(output.utf8))
    }
}
