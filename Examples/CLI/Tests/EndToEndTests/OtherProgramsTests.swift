import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension EndToEndTests {
    struct OtherProgramsTests {
        @Test("a program gets a fresh token in a variable or at a descriptor, and its exit code is the result")
        func run() async throws {
            let authstate = try await Authstate.loggedIn(.glewlwyd, client: "basic")
            try await authstate.expire()
            func run(_ options: [String] = [], _ words: String...) async throws -> Program.Result {
                let arguments = ["run", "--state", authstate.stateFile] + options + ["--"] + words
                return try await Program.run([Authstate.path] + arguments, environment: authstate.environment)
            }
            let plain = try await run(
                [], "sh", "-c", #"printf '%s %s' "$ACCESS_TOKEN" "${CLIENT_SECRET-withheld}"; exit 7"#)
            let token = try await authstate.json("token")["access_token"]?.stringValue ?? ""
            #expect(plain.status == 7 && plain.output == "\(token) withheld", "\(plain)")
            let file = try await run(
                ["--fd", "5"], "sh", "-c", #"read -r token <&5; printf '%s %s' "$token" "${ACCESS_TOKEN-none}""#)
            #expect(file.status == 0 && file.output == "\(token) none", "\(file)")
            // As a shell would start it: nothing is ignored or blocked.
            let signals = try await run(
                ["--env", "TOKEN"], "python3", "-c",
                "import os, signal; print(len(os.environ['TOKEN']) > 9, signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, "
                    + "signal.pthread_sigmask(signal.SIG_BLOCK, []))")
            #expect(signals.output == "True True set()\n", "\(signals)")
            #expect(try await run([], "sh", "-c", "kill -TERM $$").status == 128 + SIGTERM)
            let missing = try await run([], "/nonexistent/program")
            #expect(
                missing.status == 127 && missing.errors.contains("/nonexistent/program: No such file"), "\(missing)")
            #expect(try await run([], "/etc/passwd").status == 126)
            _ = try await authstate("logout", "--local")
            let mark = authstate.folder("started")
            #expect(try await run([], "touch", mark).status == 77)
            #expect(!FileManager.default.fileExists(atPath: mark))
        }

        @Test("a file has a fresh token until the login ends", arguments: [Provider.glewlwyd, .django])
        func file(_ provider: Provider) async throws {
            let authstate = try await Authstate.loggedIn(provider)
            let path = authstate.folder("token")
            let program = try authstate.start(["token-file", path, "--mode", "0640"])
            func content(otherThan former: String = "") async throws -> String {
                try await eventually("a token in the file", within: .seconds(40)) {
                    let text = authstate.folder.text("token")
                    return text.isEmpty || text == former ? nil : text
                }
            }
            let first = try await content()
            #expect(first == "\(try await authstate.json("token")["access_token"]?.stringValue ?? "")\n")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
            try await authstate.expire()
            let second = try await content(otherThan: first)
            #expect(second == "\(try await authstate.json("token")["access_token"]?.stringValue ?? "")\n")
            _ = try await authstate("logout", "--local")
            let result = try await program.result(within: .seconds(40))
            #expect(result.status == 77 && result.errors.contains("No user is logged in"), "\(result)")
            #expect(authstate.folder.text("token") == second, "the file stays")
        }

        @Test(
            "the last token stays while the provider is down, which is told once; a service manager is told when it is ready"
        )
        func keeping() async throws {
            var configuration = OpenIDProvider.Configuration()
            configuration.accessTokenLifetime = .seconds(8)
            let provider = try await OpenIDProvider(configuration: configuration)
            let authstate = try Authstate(nil)
            let service = AuthorizationService()
            let client = Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app")
            _ = try await AuthState.logIn(
                .browser(AuthorizationRequest(client, scopes: [.openID]), DirectUserAgent()),
                at: AuthState.Place(FileAuthStateStore(file: authstate.stateFile), service: service))
            let socket = authstate.folder("notify")
            let manager = try Program.start([
                "python3", "-c",
                "import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind('\(socket)'); "
                    + "print('bound', flush=True); print(s.recv(999).decode().split()[0], flush=True)",
            ])
            #expect(try await manager.firstLine(within: .seconds(20)) == "bound")
            var told = authstate
            told.environment["NOTIFY_SOCKET"] = socket
            let path = authstate.folder("token")
            let program = try told.start(["token-file", path])
            #expect(try await manager.result().output.contains("READY=1"))
            let first = authstate.folder.text("token")
            provider.troubles = [try #require(OpenIDProvider.Trouble(rawValue: "down"))]
            try await eventually("the failure", within: .seconds(60)) {
                program.errors.contains("keeps the last token") ? true : nil
            }
            #expect(authstate.folder.text("token") == first)
            provider.troubles = []
            try await eventually("the end of the failure", within: .seconds(60)) {
                program.errors.contains("is fresh again") ? true : nil
            }
            #expect(authstate.folder.text("token") != first)
            program.send(SIGTERM)
            let result = try await program.result()
            #expect(
                result.status == 0 && result.errors.components(separatedBy: "keeps the last token").count == 2,
                "\(result)")
            let refused = try await authstate("token-file", "/nonexistent/token")
            #expect(refused.status == 75 && refused.errors.contains("/nonexistent/token: No such file"), "\(refused)")
            #expect(!refused.errors.contains(authstate.stateFile), "the login's own file is not the reason: \(refused)")
        }

        @Test("boto3 gets the credentials of a role for the login's ID token, and AWS' reason when it is refused")
        func aws() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            func ask(_ more: String...) async throws -> JSONValue {
                let words = [
                    "/usr/bin/python3", "\(Provider.scripts)/credentials/sts.py", Authstate.path, authstate.stateFile,
                ]
                return try await Program.run(words + [authstate.provider.issuer] + more).json()
            }
            let seen = try await ask()
            #expect(seen["arn"] == "arn:aws:sts::123456789012:assumed-role/reader/authstate", "\(seen)")
            #expect(seen["key"] == true && seen["session"] == "session/token==")
            let form = seen["assumed"]
            #expect(
                form?["RoleArn"] == "arn:aws:iam::123456789012:role/reader" && form?["RoleSessionName"] == "authstate")
            #expect(form?["claims"]?["iss"] == .string(authstate.provider.issuer) && form?["claims"]?["aud"] != nil)
            let refused = try await ask("refuse")
            #expect(refused["error"]?.stringValue?.contains("AccessDenied: Not authorized") == true, "\(refused)")
            for endpoint in ["http://sts.example/", "ftp://127.0.0.1/", "sts"] {
                let result = try await authstate(
                    "aws-credential", "--role-arn", "arn:aws:iam::1:role/x", "--endpoint", endpoint)
                #expect(result.status == 64, "\(result)")
            }
        }

        @Test("a git that can send a bearer token gets one where that is asked for")
        func bearer() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            func ask(_ capability: String) async throws -> Program.Result {
                try await Program.run([
                    "/bin/sh", "-c",
                    "printf 'capability[]=\(capability)\\ncapability[]=state\\nprotocol=https\\nhost=git.example\\n\\n' | "
                        + "'\(Authstate.path)' git-credential --host git.example --auth-type bearer get --state "
                        + "'\(authstate.stateFile)'",
                ])
            }
            let token = try await authstate.json("token")["access_token"]?.stringValue ?? ""
            let answer = try await ask("authtype")
            #expect(
                answer.output.hasPrefix("capability[]=authtype\nauthtype=Bearer\ncredential=\(token)\nephemeral=1\n"),
                "\(answer)")
            let old = try await ask("other")
            #expect(old.status == 78 && old.output == "quit=1\n" && old.errors.contains("git 2.46"), "\(old)")
        }
    }
}
