import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct FailureTests {
        @Test("another issuer", arguments: Provider.all)
        func issuer(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            try await authstate.expectFailure(
                authstate.loginArguments().with("--issuer", authstate.provider.issuer + "/"), 78,
                [.issuerMismatch, .discoveryFailed], stage: .discovery, hint: "--issuer")
        }

        @Test("an issuer that is none", arguments: ["op.example", "https://op.example?x=1", "ftp://op.example"])
        func noIssuer(_ issuer: String) async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                authstate.loginArguments().with("--issuer", issuer), 78, [.invalidIssuer], stage: .discovery,
                hint: "for example https://op.example")
        }

        @Test func `a redirect URI that the program cannot listen at`() async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                authstate.loginArguments().with("--redirect-uri", "https://app.example.test/callback"), 78,
                [.invalidRedirectURI], stage: .authorization, hint: "--paste")
        }

        @Test("a provider that is down, before the login and after it")
        func down() async throws {
            let process = try await ProviderProcess.start(.django)
            let authstate = try Authstate(process)
            do { try await authstate.logIn() } catch {
                try await process.stop()
                throw error
            }
            try await process.stop()
            try await authstate.expectFailure(
                authstate.loginArguments(), 69, [.unreachable], stage: .discovery, hint: "try again")
            try await authstate.expectFailure(["refresh"], 69, [.unreachable], stage: .refresh, hint: "try again")
            // The grant is not lost by that.
            #expect(try await authstate.json("status")["authorized"] == true)
            #expect(try await authstate("token").status == 0)
        }

        @Test("consent that is declined", arguments: Provider.all)
        func declined(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            try await authstate.expectFailure(
                authstate.loginArguments(decision: .decline), 77, [.accessDenied], stage: .authorization,
                hint: "Log in again")
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
        }

        @Test(
            "an answer to another login ends nothing: the login waits for its own",
            arguments: [Provider.glewlwyd, .django])
        func foreignState(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let arguments = authstate.loginArguments(
                opening: try authstate.visitor(
                    """
                    visit(query["redirect_uri"][0] + "?code=stolen&state=another")
                    visit(query["redirect_uri"][0] + "?error=access_denied&state=" + query["state"][0])
                    """))
            try await authstate.expectFailure(arguments, 77, [.accessDenied], stage: .authorization, hint: nil)
            #expect(try await authstate(arguments).errors.contains("The browser brought an answer with another state"))
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
        }

        @Test(
            "an answer by another response mode than was asked for, or unsigned", arguments: ["form_post", "query.jwt"])
        func responseMode(_ mode: String) async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                authstate.loginArguments() + ["--response-mode", mode], 65, [.malformedResponse],
                stage: .authorization, hint: "--response-mode query")
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
        }

        @Test(
            "response types and modes that are not supported",
            arguments: [("--response-type", "token", "Implicit"), ("--response-mode", "web_message", "with .jwt")])
        func unsupportedAnswers(_ option: String, _ value: String, _ reason: String) async throws {
            let authstate = try Authstate(.django)
            let result = try await authstate(authstate.loginArguments() + [option, value])
            #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(reason))
        }

        @Test func `a login without a page where one would have to be shown`() async throws {
            let authstate = try Authstate(.glewlwyd)
            try await authstate.expectFailure(
                authstate.loginArguments() + ["--prompt", "none"], 77, [.interactionRequired], stage: .authorization,
                hint: "without --prompt none")
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
        }

        @Test func `a browser that cannot be run`() async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                authstate.loginArguments(opening: "/does/not/exist"), 78, [.browserUnavailable],
                stage: .authorization, hint: "--browser-command")
        }

        @Test("a grant that is gone", arguments: Provider.all)
        func expiredGrant(_ provider: Provider) async throws {
            let authstate = try await Authstate.loggedIn(provider)
            try await authstate.spendRefreshToken()
            let tellsWhy = provider.software != .glewlwyd
            let code = tellsWhy ? AuthStateError.Code.invalidGrant : .refusedWithoutReason
            try await authstate.expectFailure(["refresh"], 77, [code], stage: .refresh, hint: "authstate login")
            if tellsWhy {
                try await authstate.expectFailure(["token"], 77, [code], stage: .refresh, hint: "authstate login")
                let status = try await authstate("status", "--json")
                #expect(status.status == 77)
                let error = try status.json()["error"]
                #expect(error?["code"] == "invalidGrant")
                #expect(error?["hint"]?.stringValue?.contains(" --state \(authstate.stateFile)'") == true)
            }
            try await authstate.logIn()
            #expect(try await authstate.json("status")["authorized"] == true)
        }

        @Test func `a state folder that cannot be made`() async throws {
            var authstate = try Authstate(.django)
            try authstate.folder.file("file")
            authstate.stateFile = authstate.folder("file/state.json")
            try await authstate.expectFailure(
                authstate.loginArguments(), 75, [.storeUnwritable, .storeUnreadable], stage: .store, hint: nil)
        }

        @Test func `a port that another program holds`() async throws {
            let authstate = try Authstate(.django)
            let listener = try Listener()
            defer { listener.close() }
            let uri = "http://127.0.0.1:\(listener.port)/callback"
            try await authstate.expectFailure(
                authstate.loginArguments().with("--redirect-uri", uri), 78, [.portInUse], stage: .authorization,
                hint: "port 0")
        }

        @Test("no user is logged in", arguments: ["token", "userinfo", "refresh", "status", "request"])
        func notLoggedIn(_ command: String) async throws {
            let authstate = try Authstate(.django)
            let arguments = command == "request" ? [command, "http://127.0.0.1:1/"] : [command]
            try await authstate.expectFailure(arguments, 77, [.notLoggedIn], stage: .store, hint: "authstate login")
        }

        @Test func `a client's secret that is not set`() async throws {
            var authstate = try Authstate(.django)
            authstate.environment = ["CLIENT_SECRET": ""]
            try await authstate.expectFailure(
                authstate.loginArguments(client: "basic"), 78, [.credentialUnavailable], stage: .authorization,
                hint: "Set CLIENT_SECRET")
        }

        @Test func `a client's private key that is missing, is none, or is open to others`() async throws {
            let authstate = try Authstate(.glewlwyd)
            let open = try authstate.folder.secret("open", containing: "hunter2", permissions: 0o644)
            let nonsense = try authstate.folder.secret("nonsense", containing: "hunter2")
            let files = [(authstate.folder("none"), "Check the path"), (nonsense, "private key"), (open, "chmod 600")]
            for (file, hint) in files {
                try await authstate.expectFailure(
                    authstate.loginArguments(client: "keyjwt").with("--private-key", file), 78,
                    [.credentialUnavailable], stage: .authorization, hint: hint)
            }
        }

        @Test func `a client whose key the provider does not know`() async throws {
            let authstate = try Authstate(.glewlwyd)
            let key = try SigningKey.generate(.es256, keyID: "client-1")
            let login = authstate.loginArguments(client: "keyjwt")
            let result = try await authstate(login.with("--private-key", authstate.folder.file(of: key)) + ["--json"])
            #expect(result.status == 78, "\(result)")
            #expect(try result.json()["error"]?["stage"] == "token")
            #expect(!result.output.contains(try #require(key.privateKey.privateJSON["d"]?.stringValue)))
        }

        @Test func `an authority that is not named`() async throws {
            let authstate = try Authstate(.glewlwydTLS)
            var arguments = authstate.loginArguments()
            let index = try #require(arguments.firstIndex(of: "--ca-file"))
            arguments.removeSubrange(index...index + 1)
            try await authstate.expectFailure(
                arguments, 78, [.insecureConnection], stage: .discovery, hint: "--ca-file")
        }

        @Test("an authority that was appended to the system's bundle is found there, after the folder")
        func bundledAuthority() async throws {
            let authstate = try Authstate(.glewlwydTLS)
            var arguments = authstate.loginArguments()
            let index = try #require(arguments.firstIndex(of: "--ca-file"))
            let authority = try String(contentsOfFile: arguments[index + 1], encoding: .utf8)
            arguments.removeSubrange(index...index + 1)
            let bundle = "/etc/ssl/certs/ca-certificates.crt"
            let system = try String(contentsOfFile: bundle, encoding: .utf8)
            let whole = try authstate.folder.file("bundle.pem", containing: "\(system)\n\(authority)")
            // Only these processes see the other bundle.
            let result = try await Program.run(
                [
                    "unshare", "--mount", "sh", "-c", "mount --bind \"$0\" \(bundle) && exec \"$@\"", whole,
                    Authstate.path,
                ]
                    + arguments + ["--state", authstate.stateFile])
            #expect(result.status == 0, "\(result.output) \(result.errors)")
        }

        @Test("an option that does not exist")
        func usage() async throws {
            let authstate = try Authstate(.django)
            let plain = try await authstate("token", "--nonsense")
            #expect(plain.status == 64 && plain.output.isEmpty)
            #expect(plain.errors.contains("Unknown option '--nonsense'") && plain.errors.contains("Usage:"))
            let json = try await authstate("token", "--nonsense", "--json")
            #expect(json.status == 64)
            #expect(try json.json()["error"]?["stage"] == "usage")
        }

        @Test func `a call that only the login itself finds wrong is one error too, not two`() async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                authstate.loginArguments() + ["--param", "state=chosen"], 64, [.invalidArgument], stage: .authorization,
                hint: "state")
        }

        @Test func `an interruption while the user is in the browser`() async throws {
            let authstate = try Authstate(.django)
            let opened = authstate.folder("opened")
            let program = try authstate.start(
                authstate.loginArguments(
                    opening: try authstate.browser("import sys; open('\(opened)', 'w').write(sys.argv[1])")))
            let address = try await eventually("the browser") {
                authstate.folder.text("opened").isEmpty ? nil : authstate.folder.text("opened")
            }
            program.send(SIGINT)
            let result = try await program.result(within: .seconds(5))
            #expect(result.status == 130)
            #expect(result.errors.contains("authstate: Interrupted."))
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
            // Its port is free again.
            try Listener(port: try #require(URL(string: address)?.port)).close()
        }

        @Test func `a browser that never comes back`() async throws {
            let authstate = try Authstate(.django)
            let result = try await Program.run(
                [Authstate.path] + authstate.loginArguments(opening: "true")
                    + ["--state", authstate.stateFile, "--timeout", "1", "--json"])
            #expect(result.status == 69)
            #expect(try result.json()["error"]?["stage"] == "authorization")
            #expect(try result.json()["error"]?["code"] == "timedOut")
            let hint = try result.json()["error"]?["hint"]?.stringValue
            #expect(hint?.contains("--redirect-uri and --client-id are registered") == true)
        }
    }
}
