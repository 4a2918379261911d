import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// Errors name the cause, and the remedy for the failed operation.
    struct WordsTests {
        @Test(
            "a wrong secret is not called an unknown client, and another --auth-method is named",
            arguments: [Provider.doorkeeper, .django, .glewlwyd])
        func wrongSecret(_ provider: Provider) async throws {
            var authstate = try Authstate(provider)
            authstate.environment = ["CLIENT_SECRET": "wrong"]
            try await authstate.expectFailure(
                authstate.loginArguments(client: "basic"), 78, [.invalidClient, .unauthorizedClient], stage: .token,
                hint: "--auth-method")
            let result = try await authstate(authstate.loginArguments(client: "basic"))
            #expect(result.errors.contains("secret") && !result.errors.contains("belongs to this --issuer"))
        }

        @Test("a secret that became wrong: each command says what to check, and the login stays")
        func laterSecret() async throws {
            var authstate = try await Authstate.loggedIn(.doorkeeper, client: "basic")
            authstate.environment = ["CLIENT_SECRET": "wrong"]
            try await authstate.expectFailure(
                ["refresh"], 78, [.invalidClient], stage: .refresh, hint: "--client-secret-env")
            try await authstate.expectFailure(
                ["introspect"], 78, [.invalidClient], stage: .token, hint: "--client-secret-env")
            try await authstate.expectFailure(
                ["revoke"], 78, [.unauthorizedClient], stage: .logout,
                hint: "Check the secret that the login was made with")
            #expect(try await authstate("status").status == 0)
        }

        @Test("userinfo of a login without openid names that scope")
        func missingOpenID() async throws {
            let authstate = try Authstate(.django)
            #expect(try await authstate(authstate.loginArguments().with("--scope", "profile")).status == 0)
            let result = try await authstate("userinfo")
            #expect(result.status == 77 && result.errors.contains("with openid in it"), "\(result.errors)")
        }

        @Test("a scope that was not granted is asked for at a new login")
        func otherScope() async throws {
            let authstate = try Authstate(.django)
            #expect(try await authstate(authstate.loginArguments().with("--scope", "openid")).status == 0)
            try await authstate.expectFailure(
                ["token", "--scope", "openid email"], 78, [.invalidScope], stage: .refresh, hint: "authstate login")
        }

        @Test("a browser command that fails is quoted, without the login's parameters")
        func browserErrors() async throws {
            let authstate = try Authstate(.django)
            let script = "import sys; sys.exit(f'no display for {sys.argv[1]}')"
            let arguments = authstate.loginArguments(opening: try authstate.browser(script))
            try await authstate.expectFailure(
                arguments, 78, [.browserUnavailable], stage: .authorization, hint: "no display for http")
            let result = try await authstate(arguments + ["--json"])
            let received = try result.json()["error"]?["received"]?.stringValue
            #expect(received?.contains("no display for http") == true && received?.contains("state=") == false)
        }

        @Test("after a logout no error advises another try")
        func afterLogout() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            let logout = try await authstate("logout", "--browser-command", "false")
            #expect(logout.status == 78 && logout.errors.contains("The local login is removed"))
            #expect(logout.errors.contains("stays open until it ends there"), "\(logout.errors)")
            for word in ["again", "device code", "--grant", "paste"] { #expect(!logout.errors.contains(word)) }
        }

        @Test("Doorkeeper has no logout, which is said")
        func noLogout() async throws {
            let authstate = try await Authstate.loggedIn(.doorkeeper)
            let logout = try await authstate("logout")
            #expect(
                logout.status == 0 && logout.errors.contains("offers no logout")
                    && logout.errors.contains("Logged out."))
        }

        @Test("a grant that the provider does not have is not blamed on the login")
        func noExchange() async throws {
            let authstate = try await Authstate.loggedIn(.doorkeeper, client: "basic")
            try await authstate.expectFailure(
                ["exchange", "--audience", "x"], 78, [.unsupportedGrantType], stage: .token, hint: "RFC 8693")
        }

        @Test("an issuer is checked before the display")
        func issuerFirst() async throws {
            var authstate = try Authstate(.django)
            for name in ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER"] {
                authstate.environment[name] = ""
            }
            let call = ["login", "--client-id", "public", "--issuer"]
            try await authstate.expectFailure(
                call + ["foo"], 78, [.invalidIssuer], stage: .discovery, hint: "https://op.example")
            try await authstate.expectFailure(
                call + ["http://127.0.0.1:1"], 69, [.unreachable], stage: .discovery, hint: "Check the address")
            try await authstate.expectFailure(
                call + [authstate.provider.issuer], 78, [.browserUnavailable], stage: .authorization,
                hint: "--grant device")
        }

        @Test("a mistyped command or option gets the nearest one, and --version is there")
        func usage() async throws {
            let calls: [([String], String)] = [
                (["logn", "--issuer", "https://op.example"], "Unknown command 'logn'. Did you mean 'login'?"),
                (["login", "--isuer", "https://op.example"], "Unknown option '--isuer'. Did you mean '--issuer'?"),
                (["login", "--client-secret", "x"], "Did you mean '--client-secret-env'?"),
            ]
            for (words, message) in calls {
                let result = try await Program.run([Authstate.path] + words)
                #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
                let json = try await Program.run([Authstate.path] + words + ["--json"])
                #expect(json.status == 64)
                #expect(try json.json()["error"]?["message"]?.stringValue?.contains(message) == true)
            }
            let version = try await Program.run([Authstate.path, "--version"])
            #expect(version.status == 0 && version.output.hasPrefix("authstate "))
        }
    }
}
