import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// Programs that ask another one for credentials: git, skopeo and kubectl themselves, at a server that asks the provider.
    struct CredentialTests {
        static let providers = [Provider.glewlwyd, .django]

        @Test("git clones and pushes with a fresh token as its password", arguments: providers)
        func git(_ provider: Provider) async throws {
            try await CredentialServer.run(for: provider) { server, authstate in
                try await authstate.logIn()
                let words = ["clone", server.repository, authstate.folder("clone")]
                let clone = try await server.git(words, by: authstate)
                #expect(clone.status == 0, "\(clone)")
                let folder = authstate.folder("clone")
                try Data("text".utf8).write(to: URL(filePath: "\(folder)/file"))
                for words in [
                    ["-C", folder, "add", "file"],
                    ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@op.example", "commit", "-qm", "First"],
                ] {
                    let result = try await server.git(words, by: authstate)
                    #expect(result.status == 0, "\(result)")
                }
                // The token has expired meanwhile.
                let first = try await authstate.json("token")["access_token"]
                try await authstate.expire()
                let push = try await server.git(["-C", folder, "push", "-q", "origin", "HEAD:main"], by: authstate)
                #expect(push.status == 0, "\(push)")
                #expect(try await authstate.json("token")["access_token"] != first)
                let heads = try await server.git(["ls-remote", server.repository], by: authstate)
                #expect(heads.output.contains("refs/heads/main"))
                let seen = try await server.requests().filter { $0.scheme == "Basic" }
                #expect(!seen.isEmpty && seen.allSatisfy { $0.name == "oauth2" && $0.user != nil })
            }
        }

        @Test func `a token that git's server refuses is renewed for the next question`() async throws {
            try await CredentialServer.run(for: .glewlwyd) { server, authstate in
                try await authstate.logIn()
                let first = try await authstate.json("token")["access_token"]
                try await server.refuse()
                #expect(try await server.git(["ls-remote", server.repository], by: authstate).status != 0)
                #expect(try await server.git(["ls-remote", server.repository], by: authstate).status == 0)
                #expect(try await authstate.json("token")["access_token"] != first)
            }
        }

        @Test func `without a login git asks for no password, and the user reads why`() async throws {
            try await CredentialServer.run(for: .glewlwyd) { server, authstate in
                let result = try await server.git(["ls-remote", server.repository], by: authstate)
                #expect(result.status != 0 && result.errors.contains("No user is logged in"), "\(result)")
                #expect(!result.errors.contains("Username for"))
                #expect(try await server.requests().allSatisfy { $0.user == nil && $0.scheme != "Basic" })
            }
        }

        @Test(
            "a host that was not named, and plain http elsewhere, get nothing",
            arguments: [
                "protocol=https\\nhost=evil.example\\n\\n", "protocol=http\\nhost=git.example\\n\\n",
                "protocol=https\\nhost=git.example:8443\\n\\n", "host=git.example\\n\\n", "\\n", "",
            ])
        func otherHosts(_ question: String) async throws {
            let authstate = try await Authstate.loggedIn(.glewlwyd)
            func ask(_ question: String) async throws -> Program.Result {
                try await Program.run([
                    "/bin/sh", "-c",
                    "printf '\(question)' | '\(Authstate.path)' git-credential --host git.example get --state "
                        + "'\(authstate.stateFile)'",
                ])
            }
            let result = try await ask(question)
            #expect(result.status == 0 && result.output.isEmpty, "\(result)")
            let answer = try await ask("protocol=https\\nhost=GIT.example\\nusername=ada\\n\\n")
            #expect(
                answer.output.hasPrefix("username=ada\npassword=") && answer.output.contains("\npassword_expiry_utc="))
        }

        @Test func `git's later calls keep the report of the call that renewed`() async throws {
            let authstate = try await Authstate.loggedIn(.glewlwyd)
            try await authstate.expire()
            let report = authstate.folder("git.html")
            for operation in ["get", "get", "store", "erase"] {
                let result = try await Program.run([
                    "/bin/sh", "-c",
                    "printf 'protocol=https\\nhost=git.example\\n\\n' | '\(Authstate.path)' git-credential --host git.example "
                        + "\(operation) --report '\(report)' --state '\(authstate.stateFile)'",
                ])
                #expect(result.status == 0, "\(result)")
                #expect(authstate.folder.text("git.html").contains("POST /"), "after \(operation)")
            }
        }

        @Test func `a question that does not end is over with the time for the command`() async throws {
            let folder = try TemporaryFolder()
            try #require(mkfifo(folder("question"), 0o600) == 0)
            let words = "'\(Authstate.path)' git-credential --host git.example get --state '\(folder("state"))'"
            let result = try await Program.run(
                ["/bin/sh", "-c", "exec \(words) --timeout 1 0<>'\(folder("question"))'"], within: .seconds(20))
            #expect(result.status == 69 && result.errors.contains("within 1 seconds"), "\(result)")
        }

        @Test("a client of registries gets a fresh token as its password", arguments: providers)
        func registry(_ provider: Provider) async throws {
            try await CredentialServer.run(for: provider) { server, authstate in
                let before = try await server.skopeo(by: authstate)
                #expect(before.status != 0 && before.errors.contains("No user is logged in"), "\(before)")
                try await authstate.logIn()
                let first = try await authstate.json("token")["access_token"]
                #expect(try await server.skopeo(by: authstate).output.contains("image.index"))
                try await authstate.expire()
                let result = try await server.skopeo(by: authstate)
                #expect(result.status == 0 && result.output.contains("image.index"), "\(result)")
                #expect(try await authstate.json("token")["access_token"] != first)
                let seen = try await server.requests().filter { $0.name?.isEmpty == false }
                #expect(!seen.isEmpty && seen.allSatisfy { $0.name == "oauth2" && $0.user != nil })
                let other = try await server.skopeo(by: authstate, answeringFor: "evil.example")
                #expect(other.status != 0 && !other.errors.contains("credential helper"), "\(other)")
                // It has asked without a name then.
                #expect(try await server.requests().filter { $0.name?.isEmpty == false }.count == seen.count)
            }
        }

        @Test func `a registry is known with and without scheme and path, and no other one gets a token`() async throws
        {
            let authstate = try await Authstate.loggedIn(.glewlwyd)
            func ask(_ operation: String, _ question: String, _ more: String = "") async throws -> Program.Result {
                try await Program.run([
                    "/bin/sh", "-c",
                    "printf '%s' '\(question)' | '\(Authstate.path)' docker-credential --host registry.example \(operation) "
                        + "--state '\(authstate.stateFile)' \(more)",
                ])
            }
            for server in [
                "registry.example", "REGISTRY.example\n", "https://registry.example/v1/", "registry.example:443",
            ] {
                let answer = try JSONValue(parsing: try await ask("get", server).output.utf8)
                #expect(answer["Username"] == "oauth2" && answer["ServerURL"]?.stringValue?.isEmpty == false)
                #expect(try await authstate.json("token")["access_token"] == answer["Secret"])
            }
            for server in [
                "evil.example", "http://registry.example", "registry.example:8443", "registry.example.evil.example", "",
                "https://registry.example@evil.example/", "https://evil.example/://registry.example",
                "evil.example/registry.example", "registry.example\u{212A}",
            ] {
                let result = try await ask("get", server)
                #expect(
                    result.status == 1 && result.output == "credentials not found in native keychain\n", "\(result)")
            }
            let named = try await ask("get", "REGISTRY.other", "--host registry.other:443")
            #expect(named.status == 0, "\(named)")
            let colon = try await ask("get", "registry.example", "--username a:b")
            #expect(colon.status == 64 && colon.errors.contains("--username"), "\(colon)")
            #expect(try await ask("list", "").output == "{\"registry.example\":\"oauth2\"}\n")
            let store = try await ask("store", "{}")
            #expect(store.status == 64 && store.output.contains("authstate login"), "\(store)")
            let erase = try await ask("erase", "registry.example")
            #expect(erase.status == 0 && erase.errors.contains("authstate logout"), "\(erase)")
            let id = try JSONValue(parsing: try await ask("get", "registry.example", "--token-type id").output.utf8)
            #expect(id["Secret"]?.stringValue?.split(separator: ".").count == 3)
        }

        @Test("kubectl uses an ID token that the API server verifies", arguments: providers)
        func kubectl(_ provider: Provider) async throws {
            try await CredentialServer.run(for: provider) { server, authstate in
                let refused = try await server.kubectl(["get", "namespaces", "-o", "name"], by: authstate)
                #expect(refused.status != 0 && refused.errors.contains("No user is logged in"), "\(refused)")
                try await authstate.logIn()
                let result = try await server.kubectl(["get", "namespaces", "-o", "name"], by: authstate)
                #expect(result.status == 0 && result.output == "namespace/authstate\n", "\(result)")
                let seen = try await server.requests()
                #expect(!seen.isEmpty && seen.allSatisfy { $0.scheme == "Bearer" && $0.user != nil })
            }
        }

        @Test("an ID token that ends soon is renewed for kubectl although the access token is fresh")
        func expiringIDToken() async throws {
            var provider = Provider.django
            provider.idTokenSeconds = 30
            let process = try await ProviderProcess.start(provider)
            let authstate = try Authstate(process)
            do {
                try await authstate.logIn()
                let first = try await authstate.state().record
                let credential = try await authstate.json("kube-credential")
                let end = try #require(credential["status"]?["expirationTimestamp"]?.stringValue)
                #expect(try Date(end, strategy: .iso8601) > Date() && credential["kind"] == "ExecCredential")
                #expect(credential["status"]?["token"]?.stringValue != first.idToken)
                let token = try await authstate.json("token")["access_token"]
                #expect(token?.stringValue != first.accessToken)
                let access = try await authstate.json("kube-credential", "--token-type", "access")
                #expect(access["status"]?["token"] == token)
            } catch {
                try await process.stop()
                throw error
            }
            try await process.stop()
        }

        @Test func `the token of a login for an API goes to no git server and no cluster`() async throws {
            try await ResourceServer.run(.mcp) { server in
                let authstate = try Authstate()
                try await authstate.logIn(for: server.resource)
                try await authstate.expectFailure(
                    ["kube-credential", "--token-type", "access"], 64, [.invalidArgument], stage: .usage,
                    hint: "--profile")
                let question = "printf 'protocol=https\\nhost=git.example\\n\\n'"
                let git = try await Program.run([
                    "/bin/sh", "-c",
                    "\(question) | '\(Authstate.path)' git-credential --host git.example get --state '\(authstate.stateFile)'",
                ])
                #expect(git.status == 64 && git.output == "quit=1\n" && git.errors.contains("--profile"), "\(git)")
            }
        }

        @Test("another version of ExecCredential is refused")
        func version() async throws {
            var authstate = try await Authstate.loggedIn(.glewlwyd)
            authstate.environment["KUBERNETES_EXEC_INFO"] = #"{"apiVersion":"client.authentication.k8s.io/v1alpha1"}"#
            try await authstate.expectFailure(
                ["kube-credential"], 78, [.unsupported], stage: .usage, hint: "kubeconfig")
            authstate.environment["KUBERNETES_EXEC_INFO"] = #"{"apiVersion":"client.authentication.k8s.io/v1beta1"}"#
            let answer = try await authstate("kube-credential")
            #expect(answer.output.contains(#""apiVersion":"client.authentication.k8s.io/v1beta1""#), "\(answer)")
        }
    }
}

/// An https server for git, skopeo and kubectl, for the time of one test.
struct CredentialServer: Sendable {
    private struct Announcement: Decodable {
        var base: String
        var ca: String
        var control: String
    }

    /// A request as the server saw it.
    struct Seen: Decodable, Sendable {
        var path: String
        var scheme: String
        /// The user name of HTTP Basic.
        var name: String?
        /// The user whom the provider knows by the credentials.
        var user: String?
    }

    private let base: String
    private let authority: String
    private let control: String

    /// Runs a body with a server and a user of a provider, and ends the server after it.
    static func run(for provider: Provider, _ body: (CredentialServer, Authstate) async throws -> Void) async throws {
        let authstate = try Authstate(provider)
        let program = try Program.start(
            ["\(Provider.scripts)/credentials/start.sh"],
            environment: ["UPSTREAM_ISSUER": authstate.provider.issuer, "UPSTREAM_CLIENT_ID": "public"])
        try await program.during {
            guard let line = try await program.firstLine(within: .seconds(20)) else {
                throw NotInTime(description: "The server did not start (see \(Provider.installer)): \(program.errors)")
            }
            let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
            try await body(
                CredentialServer(
                    base: announcement.base, authority: announcement.ca, control: announcement.control), authstate)
        }
    }

    var repository: String { "\(base)/git/project.git" }

    /// Runs git, whose only helper is the program.
    func git(_ words: [String], by authstate: Authstate) async throws -> Program.Result {
        let host = base.dropFirst("https://".count)
        let helper = "!'\(Authstate.path)' git-credential --host \(host) --state '\(authstate.stateFile)'"
        let environment = [
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "1",
            "GIT_SSL_CAINFO": authority,
        ]
        return try await Program.run(["git", "-c", "credential.helper=\(helper)"] + words, environment: environment)
    }

    /// Runs skopeo, a client of registries, with the program behind its helper.
    func skopeo(by authstate: Authstate, answeringFor host: String? = nil) async throws -> Program.Result {
        let registry = String(base.dropFirst("https://".count))
        let configuration = #"{"credHelpers": {"\#(registry)": "authstate"}}"#
        let file = try authstate.folder.file("auth.json", containing: configuration)
        let authorities = authstate.folder("authorities")
        try FileManager.default.createDirectory(atPath: authorities, withIntermediateDirectories: true)
        let authority = try Data(contentsOf: URL(filePath: self.authority))
        try authority.write(to: URL(filePath: "\(authorities)/ca.crt"))
        return try await Program.run(
            [
                "skopeo", "inspect", "--raw", "--authfile", file, "--cert-dir", authorities,
                "docker://\(registry)/project:latest",
            ],
            environment: [
                "PATH": "\(Provider.scripts)/credentials:/usr/bin:/bin", "AUTHSTATE": Authstate.path,
                "REGISTRY": host ?? registry, "AUTHSTATE_FILE": authstate.stateFile,
            ])
    }

    /// Runs kubectl with a configuration that asks the program.
    func kubectl(_ words: [String], by authstate: Authstate) async throws -> Program.Result {
        let configuration = """
            apiVersion: v1
            kind: Config
            clusters: [{name: test, cluster: {server: "\(base)", certificate-authority: "\(authority)"}}]
            contexts: [{name: test, context: {cluster: test, user: ada}}]
            current-context: test
            users:
            - name: ada
              user:
                exec:
                  apiVersion: client.authentication.k8s.io/v1
                  command: "\(Authstate.path)"
                  args: [kube-credential, --state, "\(authstate.stateFile)"]
                  interactiveMode: Never
            """
        let file = try authstate.folder.file("kubeconfig", containing: configuration)
        return try await Program.run(
            ["kubectl", "--kubeconfig", file, "--cache-dir", authstate.folder("kube-cache")] + words)
    }

    func requests() async throws -> [Seen] {
        try JSONDecoder().decode([Seen].self, from: try await get("log")).filter { !$0.path.hasPrefix("/control") }
    }

    /// Refuses the next credentials.
    func refuse() async throws { _ = try await get("refuse") }

    private func get(_ path: String) async throws -> Data {
        let url = try #require(URL(string: "\(control)/\(path)"))
        return try await SystemTransport(certificateAuthorityFile: authority).send(TransportRequest(url: url)).body
    }
}
