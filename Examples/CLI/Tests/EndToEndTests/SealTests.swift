import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension EndToEndTests {
    /// At the provider in this process, with gnome-keyring in a session of its own.
    @Suite(.whereSecretServiceIsInstalled) struct SealTests {
        private let folder: TemporaryFolder
        private let provider: OpenIDProvider
        private let browser: LoginBrowser

        init() async throws {
            folder = try TemporaryFolder()
            provider = try await OpenIDProvider()
            browser = try LoginBrowser()
        }

        private func run(
            _ arguments: String..., in environment: [String: String] = [:]
        ) async throws -> Program.Result { try await run(arguments, in: environment) }

        private func run(_ arguments: [String], in environment: [String: String]) async throws -> Program.Result {
            try await Program.run(
                [Authstate.path] + arguments + ["--timeout", "60"],
                environment: ["XDG_STATE_HOME": folder.path].merging(environment) { $1 }, within: .seconds(90))
        }

        private func logIn(
            _ arguments: String..., in environment: [String: String] = [:]
        ) async throws -> Program.Result {
            let words = [
                "login", "--issuer", provider.issuer, "--client-id", "app", "--scope", "openid offline_access",
                "--browser-command", browser.commandLine(),
            ]
            return try await run(words + arguments, in: environment)
        }

        /// Makes a file with a sealing key.
        @discardableResult
        private func key(_ name: String, _ byte: UInt8) throws -> String {
            let text = Data(repeating: byte, count: 32).base64EncodedString()
            return try folder.secret(name, containing: text, permissions: 0o400)
        }

        /// The bytes of the stored login; empty when there is none.
        private func stored() throws -> String {
            let path = try FileAuthStateStore(folder: folder("authstate")).path(for: .default)
            return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        }

        private func sealed(in environment: [String: String] = [:]) async throws -> JSONValue? {
            let status = try await run("status", "--json", in: environment)
            #expect(status.status == 0, "\(status)")
            return try status.json()["sealed"]
        }

        @Test func `where a keyring answers, a login is sealed with its key, which is said once`() async throws {
            try await SecretServiceSession.run { session in
                let environment = session.environment
                let login = try await logIn(in: environment)
                #expect(login.status == 0, "\(login)")
                #expect(login.errors.contains("The login is sealed with a key in the keyring"), "\(login.errors)")
                #expect(try await Data(base64Encoded: session.key(of: "authstate"))?.count == 32)
                #expect(try stored().contains(#""key":"secret-service."#) && !stored().contains("app"))
                #expect(try await sealed(in: environment) == "secret-service")
                let refresh = try await run("refresh", in: environment)
                #expect(refresh.status == 0 && !refresh.errors.contains("sealed"), "\(refresh)")
                let token = try await run("token", in: environment)
                #expect(token.status == 0 && !token.output.isEmpty)
                #expect(try await run("profiles", in: environment).output.contains(provider.issuer))
                let again = try await logIn(in: environment)
                #expect(again.status == 0 && !again.errors.contains("sealed"), "\(again)")
                #expect(try stored().contains(#""sealed":1"#))
            }
        }

        @Test func `a sealed login whose keyring is locked or gone is an error, and left as it is`() async throws {
            try await SecretServiceSession.run { session in
                try #require(try await logIn(in: session.environment).status == 0)
                let before = try stored()
                try await session.lock()
                for environment in [session.environment, [:]] {
                    for command in ["token", "status", "login", "logout"] {
                        let result =
                            try await command == "login" ? logIn(in: environment) : run(command, in: environment)
                        #expect(result.status == 75, "\(command): \(result)")
                        #expect(result.errors.contains("sealed with a key in the keyring, which cannot be read"))
                        #expect(result.errors.contains("'authstate logout --local'"), "\(result.errors)")
                    }
                    let other = try await logIn("--seal", "none", in: environment)
                    #expect(other.status == 64 && other.errors.contains("--seal secret-service"), "\(other)")
                    #expect(try await run("profiles", in: environment).errors.contains("cannot be read"))
                }
                #expect(try stored() == before)
                let logout = try await run("logout", "--local")
                #expect(logout.status == 0, "\(logout)")
                #expect(try stored().isEmpty)
            }
        }

        @Test("without a keyring, or with one that cannot be used, a login is not sealed, and succeeds")
        func without() async throws {
            let plain = try await logIn()
            #expect(plain.status == 0 && !plain.errors.contains("sealed"), "\(plain)")
            #expect(try await sealed() == .null)
            try await SecretServiceSession.run(keyring: false) { session in
                let login = try await logIn(in: session.environment)
                #expect(login.status == 0 && !login.errors.contains("sealed"), "\(login)")
                let chosen = try await logIn("--seal", "secret-service", in: session.environment)
                #expect(chosen.status == 78 && chosen.errors.contains("No program keeps secrets"), "\(chosen)")
            }
            try await SecretServiceSession.run { session in
                try await session.whileKeyringHangs {
                    let login = try await logIn(in: session.environment)
                    #expect(login.status == 0 && !login.errors.contains("sealed"), "\(login)")
                }
                try await session.lock()
                let login = try await logIn(in: session.environment)
                #expect(login.status == 0, "\(login)")
                #expect(login.errors.contains("The login is not sealed: The keyring is locked"), "\(login.errors)")
                #expect(try stored().contains(#""format":"#))
            }
        }

        @Test("a login that is not sealed becomes so by the next login, unless the user chose that it is not")
        func choice() async throws {
            try await SecretServiceSession.run { session in
                let environment = session.environment
                let unsealed = try await logIn("--seal", "none", in: environment)
                #expect(unsealed.status == 0 && !unsealed.errors.contains("sealed"), "\(unsealed)")
                #expect(try await logIn(in: environment).status == 0)
                #expect(try await sealed(in: environment) == .null)
                #expect(try await session.key(of: "authstate").isEmpty)
                #expect(try await run("logout", in: environment).status == 0)
                #expect(try await logIn().status == 0)
                #expect(try await sealed(in: environment) == .null)
                #expect(try await logIn(in: environment).status == 0)
                #expect(try await sealed(in: environment) == "secret-service")
            }
        }

        @Test("a login is sealed with a credential of systemd, and opened with the same one alone")
        func credential() async throws {
            let file = try key("key", 7)
            let environment = ["CREDENTIALS_DIRECTORY": folder.path]
            let missing = try await logIn("--seal", "credential:key")
            #expect(missing.status == 78 && missing.errors.contains("CREDENTIALS_DIRECTORY is not set"), "\(missing)")
            #expect(try stored().isEmpty)
            let login = try await logIn("--seal", "credential:key", in: environment)
            #expect(login.status == 0 && login.errors.contains("sealed with the credential key"), "\(login)")
            #expect(try await sealed(in: environment) == "credential:key")
            #expect(try await run("refresh", in: environment).status == 0)
            #expect(try await run("token").status == 75)
            try FileManager.default.removeItem(atPath: file)
            try key("key", 8)
            let other = try await run("token", in: environment)
            #expect(
                other.status == 75 && other.errors.contains("sealed with a key that is not in the list"), "\(other)")
        }

        @Test("the logins of all profiles are listed, with a note for each that cannot be read")
        func profiles() async throws {
            try key("one", 1)
            try key("two", 2)
            let environment = ["CREDENTIALS_DIRECTORY": folder.path]
            #expect(try await logIn("--seal", "none").status == 0)
            #expect(try await logIn("--profile", "b", "--seal", "credential:one", in: environment).status == 0)
            #expect(try await logIn("--profile", "c", "--seal", "credential:two", in: environment).status == 0)
            #expect(try await logIn("--profile", "d", "--seal", "none").status == 0)
            let open = try FileAuthStateStore(folder: folder("authstate")).path(for: "d")
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: open)
            try FileManager.default.removeItem(atPath: folder("two"))
            let list = try await run("profiles", in: environment)
            let names = list.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
            #expect(list.status == 0 && names == ["b", "default"], "\(list)")
            #expect(list.errors.components(separatedBy: "credential two").count == 2, "\(list)")
            #expect(list.errors.components(separatedBy: "Another user can change").count == 2, "\(list)")
        }

        @Test("with --runtime a login is in the folder of the session, which has to be the user's alone")
        func runtime() async throws {
            let unset = try await logIn("--runtime")
            #expect(unset.status == 64 && unset.errors.contains("XDG_RUNTIME_DIR is not set"), "\(unset)")
            let runtime = folder("run")
            try FileManager.default.createDirectory(
                atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            let environment = ["XDG_RUNTIME_DIR": runtime]
            let open = try await logIn("--runtime", in: environment)
            #expect(open.status == 75 && open.errors.contains("permissions 0700"), "\(open)")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: runtime)
            #expect(try await logIn("--runtime", in: environment).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: runtime + "/authstate").count >= 1)
            #expect(try stored().isEmpty)
            #expect(try await run("token", "--runtime", in: environment).status == 0)
            #expect(try await run("profiles", "--runtime", in: environment).output.contains(provider.issuer))
            #expect(try await run("token", in: environment).status == 77)
        }
    }
}
