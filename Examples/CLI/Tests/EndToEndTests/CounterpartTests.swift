import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// The commands as their help shows them, at further providers that others wrote.
    @Suite(.running(Provider.counterparts)) struct CounterpartTests {
        /// How a client of a provider logs in, and what the provider does about a logout.
        struct Counterpart: Sendable, CustomTestStringConvertible {
            var provider: Provider
            var client: [String]
            var revokes = false
            var endsSession = true

            var testDescription: String { "\(provider.software.rawValue) \(client.joined(separator: " "))" }

            static let all = [
                Counterpart(provider: .pyop, client: ["--register"]),
                Counterpart(provider: .allauth, client: ["--register"], revokes: true),
                Counterpart(
                    provider: .openIDConnect, client: ["--client-id", "basic", "--client-secret-env", "CLIENT_SECRET"],
                    endsSession: false),
            ]
        }

        private func logIn(
            _ authstate: Authstate, _ client: [String], _ options: [String] = []
        ) async throws -> Program.Result {
            let browser = client.contains("--grant") ? [] : ["--browser-command", authstate.browser.commandLine()]
            return try await authstate(["login", "--issuer", authstate.provider.issuer] + browser + client + options)
        }

        @Test("a login without an option, its renewal, and its logout", arguments: Counterpart.all)
        func life(_ counterpart: Counterpart) async throws {
            let authstate = try Authstate(counterpart.provider)
            let login = try await logIn(authstate, counterpart.client)
            try #require(login.status == 0, "\(login)")
            #expect(try await authstate.json("userinfo")["sub"] == authstate.json("status")["subject"])
            let first = try await authstate.json("token")["access_token"]
            #expect(try await authstate.json("refresh")["authorized"] == true)
            #expect(try await authstate.json("token")["access_token"] != first)
            let logout = try await authstate.json("logout", "--browser-command", authstate.browser.commandLine())
            #expect(logout["logged_out"] == true && logout["revoked"] == .bool(counterpart.revokes), "\(logout)")
            #expect(logout["session_ended"] == .bool(counterpart.endsSession), "\(logout)")
        }

        /// A resource without sessions behind the proxy of FastMCP, in front of a provider whose access tokens are opaque: the
        /// proxy checks its ID token, and keeps it.
        @Test("a login for an API without sessions, its renewal and its logout")
        func resource() async throws {
            let settings = [
                "STATELESS": "1", "UPSTREAM_OPAQUE": "1", "UPSTREAM_ISSUER": try Provider.pyop.process.issuer,
            ]
            try await ResourceServer.run(.fastmcp, settings) { server in
                let authstate = try Authstate()
                let login = try await authstate(authstate.loginArguments(for: server.resource))
                try #require(login.status == 0, "\(login)")
                #expect(login.errors.contains("which user logged in is not known"), "\(login)")
                let status = try await authstate.json("status")
                #expect(status["scope"] == "openid offline_access" && status["subject"] == .null, "\(status)")
                #expect(try await authstate.call("add", ["a": 3, "b": 4], at: server.resource) == "7")
                #expect(try await authstate.json("refresh")["authorized"] == true)
                #expect(try await authstate.call("add", ["a": 4, "b": 4], at: server.resource) == "8")
                let logout = try await authstate("logout", "--browser-command", authstate.browser.commandLine())
                #expect(logout.status == 0 && logout.errors.contains("Logged out."), "\(logout)")
            }
        }

        /// An option that a provider does not take, and the words of the refusal that say what helps.
        struct Misfit: Sendable, CustomTestStringConvertible {
            var provider: Provider
            var options: [String]
            var words: String
            /// The client; nil is the usual one of the provider.
            var client: [String]?
            /// The options of the login that the refusal describes.
            var remedy: [String] = []

            var testDescription: String {
                "\(provider.software.rawValue) \((options + (client ?? [])).joined(separator: " "))"
            }

            static let all =
                [
                    Misfit(
                        provider: .pyop, options: ["--scope", "openid offline_access"], words: "--prompt consent",
                        remedy: ["--scope", "openid offline_access", "--prompt", "consent"]),
                    Misfit(
                        provider: .pyop, options: ["--auth-method", "post"], words: "Check --auth-method",
                        remedy: ["--auth-method", "basic"]),
                    Misfit(
                        provider: .doorkeeper, options: [], words: "--tolerate unencoded-basic",
                        client: ["--client-id", "odd", "--client-secret-env", "ODD_SECRET"],
                        remedy: ["--tolerate", "unencoded-basic"]),
                    Misfit(
                        provider: .allauth, options: [], words: "--tolerate unencoded-basic",
                        client: ["--register", "--grant", "client-credentials"],
                        remedy: ["--tolerate", "unencoded-basic"]),
                    Misfit(
                        provider: .allauth, options: ["--scope", "openid offline_access"],
                        words: "not list offline_access", remedy: ["--scope", "openid"]),
                    Misfit(provider: .pyop, options: ["--max-age", "600"], words: "Without --max-age"),
                ]
                + [(.pyop, "form_post"), (.allauth, "fragment"), (.openIDConnect, "jwt")].map { provider, mode in
                    Misfit(
                        provider: provider, options: ["--response-mode", mode], words: "--response-mode query",
                        remedy: ["--response-mode", "query"])
                }
        }

        @Test("a refused login names what helps, and that login succeeds", arguments: Misfit.all)
        func misfit(_ misfit: Misfit) async throws {
            var authstate = try Authstate(misfit.provider)
            authstate.environment["ODD_SECRET"] = "p@ss:w%rd+/="
            let usual = misfit.provider == .pyop ? ["--register"] : ["--client-id", "public"]
            let client = misfit.client ?? usual
            let refused = try await logIn(authstate, client, misfit.options)
            #expect(refused.status != 0 && refused.errors.contains(misfit.words), "\(refused)")
            let login = try await logIn(authstate, client, misfit.remedy)
            #expect(login.status == 0, "\(login)")
        }
    }
}
