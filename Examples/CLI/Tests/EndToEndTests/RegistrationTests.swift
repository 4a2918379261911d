import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct RegistrationTests {
        /// How a registered client logs in: glewlwyd serves no registered client without a secret, and the answer of
        /// django-oauth-toolkit about one with a secret lacks a member.
        private func arguments(_ authstate: Authstate) -> [String] {
            let method = authstate.provider.provider == .django ? "none" : "basic"
            return ["--issuer", authstate.provider.issuer, "--auth-method", method]
                + (authstate.provider.certificateAuthorityFile.map { ["--ca-file", $0] } ?? [])
        }

        private func logIn(_ authstate: Authstate, redirectURI: String? = nil) async throws -> Program.Result {
            try await authstate(
                ["login", "--register"] + (redirectURI.map { ["--redirect-uri", $0] } ?? []) + ["--browser-command"]
                    + [authstate.browser.commandLine(), "--scope", "openid profile email", "--json"]
                    + arguments(authstate))
        }

        @Test("is kept, logs in, and is the same client at the next login", arguments: Provider.complete)
        func life(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let uri = authstate.provider.redirectURI
            let first = try await logIn(authstate, redirectURI: uri)
            try #require(first.status == 0, "\(first)")
            let client = try #require(try first.json()["client_id"]?.stringValue)
            #expect(!first.errors.contains("client_secret"))
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
            #expect(try await authstate.json("refresh")["authorized"] == true)
            let second = try await logIn(authstate, redirectURI: uri)
            #expect(try second.json()["client_id"]?.stringValue == client, "\(second)")
            let registration = try await authstate.state().record.lastRegistrationResponse
            #expect(registration?.clientID == client && registration?.registrationAccessToken != nil)
        }

        @Test(
            "registers the very address that it listens at, and listens there at the next login and the logout",
            arguments: [Provider.glewlwyd, .django], [false, true])
        func port(_ provider: Provider, registersBefore: Bool) async throws {
            let authstate = try Authstate(provider)
            if registersBefore {
                let registered = try await authstate(["register"] + arguments(authstate))
                try #require(registered.status == 0, "\(registered)")
            }
            var addresses: [String] = []
            for _ in 0..<2 {
                let login = try await logIn(authstate)
                try #require(login.status == 0, "\(login)")
                let record = try await authstate.state().record
                addresses += [record.lastAuthorizationResponse?.request.redirectURI?.rawValue].compactMap(\.self)
                let registered = record.lastRegistrationResponse?.metadata["redirect_uris"]?.arrayValue
                addresses += (registered ?? []).compactMap(\.stringValue)
            }
            #expect(addresses.count == 4 && Set(addresses).count == 1, "\(addresses)")
            #expect(try RedirectURI(addresses.first ?? "").port ?? 0 != 0, "\(addresses)")
            // django-oauth-toolkit registers no address for the return from a logout.
            guard provider == .glewlwyd else { return }
            let logout = try await authstate.json("logout", "--browser-command", authstate.browser.commandLine())
            #expect(logout["logged_out"] == true && logout["session_ended"] == true, "\(logout)")
        }

        @Test("says what to do when another program has the port that is registered")
        func portInUse() async throws {
            let authstate = try Authstate(.django)
            let login = try await logIn(authstate)
            try #require(login.status == 0, "\(login)")
            let answer = try await #require(authstate.state().record.lastAuthorizationResponse)
            let other = try await LoopbackUserAgent(browser: .custom { _ in })
                .prepare(redirectURI: answer.request.redirectURI, for: .login)
            try await authstate.expectFailure(
                ["login", "--register", "--browser-command", "true"] + arguments(authstate), 78, [.portInUse],
                stage: .authorization, hint: "authstate registration delete")
            await other.finish(.cancelled)
        }

        @Test(
            "can register first and log in later; meanwhile no user is logged in",
            arguments: [Provider.glewlwyd, .django])
        func before(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let uri = provider == .django ? "http://127.0.0.1/callback" : authstate.provider.redirectURI
            let registered = try await authstate(
                ["register", "--redirect-uri", uri, "--client-name", "a test", "--json"] + arguments(authstate))
            try #require(registered.status == 0, "\(registered)")
            let json = try registered.json()
            #expect(json["issuer"]?.stringValue == authstate.provider.issuer)
            #expect(json["has_secret"] == .bool(provider == .glewlwyd))
            let secret = try await authstate.state().record.lastRegistrationResponse?.clientSecret
            #expect((secret != nil) == (provider == .glewlwyd))
            if let secret { #expect(!registered.output.contains(secret) && !registered.errors.contains(secret)) }

            let status = try await authstate("status")
            #expect(status.status == 77 && status.errors.contains("--register"), "\(status)")
            try await authstate.expectFailure(["token"], 77, [.notLoggedIn], stage: .store, hint: "--register")
            try await authstate.expectFailure(
                ["register"] + arguments(authstate), 64, [.invalidArgument], stage: .registration, hint: "--register")

            let login = try await logIn(authstate, redirectURI: authstate.provider.redirectURI(registered: uri))
            #expect(login.status == 0, "\(login)")
            #expect(try login.json()["client_id"] == json["client_id"])
        }

        @Test(
            "is shown and changed as the provider has it, and the login goes on",
            arguments: [Provider.glewlwyd, .django])
        func managed(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let login = try await logIn(authstate, redirectURI: authstate.provider.redirectURI)
            try #require(login.status == 0, "\(login)")
            let client = try #require(try login.json()["client_id"])

            let shown = try await authstate.json("registration")
            #expect(shown["client_id"] == client && shown["client_name"] == "authstate")
            let before = try await authstate.state().record
            #expect(shown["redirect_uris"]?.arrayValue?.count == 1)
            #expect(shown["redirect_uris"] == before.lastRegistrationResponse?.metadata["redirect_uris"])
            let changed = try await authstate.json("registration", "update", "--client-name", "Renamed")
            #expect(changed["client_id"] == client && changed["client_name"] == "Renamed")
            #expect(changed["redirect_uris"] == shown["redirect_uris"])
            let lines = try await authstate("registration", "show")
            #expect(lines.status == 0 && lines.output.contains("client_name: Renamed\n"), "\(lines)")

            // django-oauth-toolkit replaces the token with each change, glewlwyd the secret: neither is lost, or shown.
            let after = try await authstate.state().record
            let former = try #require(before.lastRegistrationResponse)
            let latter = try #require(after.lastRegistrationResponse)
            if provider == .django { #expect(latter.registrationAccessToken != former.registrationAccessToken) }
            if provider == .glewlwyd {
                #expect(latter.clientSecret != nil && latter.clientSecret != former.clientSecret)
            }
            let secrets = [former, latter].flatMap { [$0.clientSecret, $0.registrationAccessToken] }.compactMap(\.self)
            let told = lines.output + lines.errors + "\(shown)\(changed)"
            #expect(!secrets.isEmpty && !secrets.contains(where: told.contains))
            #expect(after.refreshToken == before.refreshToken)
            #expect(try await authstate.json("refresh")["authorized"] == true)
        }

        @Test("tells why a change is refused, and keeps what is registered", arguments: [Provider.glewlwyd, .django])
        func refusedChange(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let login = try await logIn(authstate, redirectURI: authstate.provider.redirectURI)
            try #require(login.status == 0, "\(login)")
            let before = try await authstate.json("registration")
            try await authstate.expectFailure(
                ["registration", "update", "--metadata", #"grant_types=["nonsense"]"#], 78, [.invalidClientMetadata],
                stage: .registration, hint: "--grant")
            try await authstate.expectFailure(
                ["registration", "update", "--metadata", "contacts=ada"], 64, [.invalidArgument], stage: .registration,
                hint: "as JSON")
            #expect(try await authstate("registration", "update").status == 64)
            #expect(try await authstate.json("registration") == before)
        }

        @Test("is deleted at the provider and here, with the login", arguments: [Provider.glewlwyd, .django])
        func deletion(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let login = try await logIn(authstate, redirectURI: authstate.provider.redirectURI)
            try #require(login.status == 0, "\(login)")
            var copy = authstate
            copy.stateFile = authstate.folder("copy.json")
            try FileManager.default.copyItem(atPath: authstate.stateFile, toPath: copy.stateFile)

            let gone = try await authstate("registration", "delete", "--json")
            #expect(gone.status == 0, "\(gone)")
            #expect(try gone.json() == ["deleted": true, "client_id": try #require(try login.json()["client_id"])])
            #expect(try await authstate("status").status == 77)
            try await authstate.expectFailure(
                ["registration", "delete"], 64, [.invalidArgument], stage: .registration, hint: "--profile")
            // The provider does not know the client either.
            for command in ["show", "delete"] {
                try await copy.expectFailure(
                    ["registration", command], 78, [.registrationTokenRejected], stage: .registration, hint: "--local")
            }
        }

        @Test("cannot be managed where a login is of another client, which stays")
        func nothingToManage() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            for arguments in [["show"], ["update", "--client-name", "x"], ["delete"]] {
                try await authstate.expectFailure(
                    ["registration"] + arguments, 64, [.invalidArgument], stage: .registration, hint: "authstate logout"
                )
            }
            #expect(try await authstate("status").status == 0)
        }

        @Test("for the device grant: glewlwyd has a name of its own for it, which the hint tells, and then it logs in")
        func device() async throws {
            let authstate = try Authstate(.glewlwyd)
            let register =
                ["register", "--grant", "device", "--redirect-uri", authstate.provider.redirectURI]
                + arguments(authstate)
            try await authstate.expectFailure(
                register, 78, [.invalidClientMetadata], stage: .registration, hint: "device_authorization")
            let registered = try await authstate(
                register + ["--metadata", #"grant_types=["device_authorization","refresh_token"]"#, "--json"])
            try #require(registered.status == 0, "\(registered)")
            let login = try await authstate(
                ["login", "--register", "--grant", "device", "--scope", "openid profile", "--browser-command"]
                    + [authstate.browser.commandLine(), "--json"] + arguments(authstate))
            #expect(login.status == 0, "\(login)")
            #expect(try login.json()["client_id"] == registered.json()["client_id"])
        }

        @Test func `with a secret of unknown expiry`() async throws {
            let authstate = try Authstate(.django)
            let arguments = ["register", "--issuer", authstate.provider.issuer, "--auth-method", "basic"]
            let registered = try await authstate(arguments + ["--json"])
            #expect(registered.status == 0 && registered.output.contains(#""has_secret":true"#), "\(registered)")
        }

        @Test func `is not registered where its secret could not be kept`() async throws {
            var authstate = try Authstate(.glewlwyd)
            let file = authstate.folder("file")
            try Data().write(to: URL(filePath: file))
            authstate.stateFile = file + "/login.json"
            let result = try await authstate(["register", "--trace"] + arguments(authstate))
            #expect(result.status == 75, "\(result)")
            #expect(!result.errors.contains("trace: POST"), "\(result)")
        }

        @Test("does not replace another client's login")
        func occupied() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            let before = try Data(contentsOf: URL(filePath: authstate.stateFile))
            try await authstate.expectFailure(
                ["login", "--register", "--browser-command", "true"] + arguments(authstate), 64, [.invalidArgument],
                stage: .registration, hint: "--profile")
            #expect(try Data(contentsOf: URL(filePath: authstate.stateFile)) == before)
        }

        @Test("without the token that allows it")
        func token() async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                ["register", "--initial-access-token-env", "NO_SUCH_TOKEN"] + arguments(authstate), 78,
                [.credentialUnavailable], stage: .registration, hint: "Set NO_SUCH_TOKEN")
        }
    }
}

extension ProviderProcess {
    /// A URI for a login of a client that has registered this one.
    fileprivate func redirectURI(registered uri: String) -> String { provider == .django ? redirectURI : uri }
}
