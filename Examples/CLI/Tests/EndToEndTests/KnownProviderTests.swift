import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// As far as possible without the providers themselves: to the address that the browser opens, and back.
    struct KnownProviderTests {
        /// A browser that writes the address to a file, and returns the answer of a user who declines.
        private func decliningBrowser(_ authstate: Authstate) throws -> String {
            try authstate.visitor(
                """
                open('\(authstate.folder("opened"))', 'w').write(page)
                answer = urllib.parse.urlencode({"error": "access_denied", "state": query["state"][0]})
                visit(query["redirect_uri"][0] + "?" + answer)
                """)
        }

        @Test(
            "are asked at their own address, for their usual scopes or those of the options",
            arguments: [
                ("github", [], "https://github.com/login/oauth/authorize", "read:user", "127.0.0.1"),
                (
                    "strava", ["--scope", "read activity:read"], "https://www.strava.com/oauth/authorize",
                    "read,activity:read", "127.0.0.1"
                ),
                ("Spotify", [], "https://accounts.spotify.com/authorize", "user-read-email", "127.0.0.1"),
                ("facebook", [], "https://www.facebook.com/dialog/oauth", "public_profile email", "localhost"),
            ])
        func page(_ name: String, _ more: [String], _ address: String, _ scope: String, _ host: String) async throws {
            let authstate = try Authstate(.django)
            let result = try await authstate(
                ["login", "--provider", name, "--client-id", "cli", "--json", "--browser-command"]
                    + [try decliningBrowser(authstate)] + more)
            #expect(result.status == 77, "\(result)")
            #expect(try result.json()["error"]?["code"] == "accessDenied")
            let opened = try #require(URLComponents(string: authstate.folder.text("opened")))
            #expect("https://\(opened.host ?? "")\(opened.path)" == address)
            let query = Dictionary(uniqueKeysWithValues: (opened.queryItems ?? []).map { ($0.name, $0.value) })
            #expect(query["scope"] == scope && query["client_id"] == "cli" && query["code_challenge_method"] == "S256")
            // At the registered redirect URI, and without a warning about it.
            #expect(query["redirect_uri"]??.hasPrefix("http://\(host):") == true && !result.errors.contains("warning"))
        }

        @Test func `with an address for each customer are found by the options`() async throws {
            let authstate = try Authstate(.django)
            let origin = try #require(authstate.provider.issuer.split(separator: "/o").first)
            let result = try await authstate(
                "login", "--provider", "keycloak", "--domain", String(origin), "--realm", "staff", "--client-id", "cli",
                "--browser-command", "true", "--trace")
            #expect(result.status == 78 && result.errors.contains("--domain and --realm"), "\(result)")
            #expect(result.errors.contains("GET \(origin)/realms/staff/.well-known/openid-configuration 404 "))
        }

        @Test(
            "say what is missing or too much in the options' names",
            arguments: [
                (["okta"], "needs --domain with its domain"), (["keycloak"], "needs --domain with its base URL"),
                (["keycloak", "--domain", "https://sso.example"], "needs --realm"),
                (["keycloak", "--domain", "sso.example", "--realm", "r"], "--domain takes a base URL"),
                (["google", "--domain", "x.example"], "--provider google goes without --domain"),
                (["google", "--realm", "r"], "--provider google goes without --realm"),
                (["microsoft", "--tenant", "a b"], "--tenant: "),
                (["microsoft", "--tenant", "contoso.example"], "Copy the Directory (tenant) ID"),
                (["okta", "--domain", "https://dev-1.okta.com"], "Give the host alone"),
                (["nobody"], "google, apple, facebook"),
            ])
        func usage(_ arguments: [String], _ reason: String) async throws {
            let authstate = try Authstate(.django)
            let result = try await authstate(["login", "--client-id", "cli", "--provider"] + arguments)
            #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(reason), "\(result)")
        }

        @Test(
            "tell a user without a client where to make one, and what to enter there",
            arguments: [
                (["google"], "https://console.cloud.google.com/", "Desktop app"),
                (["apple"], "https://developer.apple.com/account/", "Services ID"),
                (["microsoft"], "https://go.microsoft.com/", "http://localhost/callback"),
                (["facebook"], "https://developers.facebook.com/apps/", "http://localhost"),
                (["github"], "https://github.com/settings/developers", "http://127.0.0.1/callback"),
                (["spotify"], "https://developer.spotify.com/dashboard", "http://127.0.0.1/callback"),
                (["strava"], "https://www.strava.com/settings/api", "127.0.0.1"),
                (["okta", "--domain", "dev-1.okta.com"], "admin console", "http://127.0.0.1:8400/callback"),
                (["auth0", "--domain", "a.auth0.com"], "https://manage.auth0.com/", "http://127.0.0.1:8400/callback"),
                (["keycloak", "--domain", "https://s.example", "--realm", "r"], "admin console", "any port will do"),
                (["forgerock", "--domain", "https://s.example/am"], "realm", "http://127.0.0.1:8400/callback"),
            ])
        func steps(_ arguments: [String], _ place: String, _ entry: String) async throws {
            let authstate = try Authstate(.django)
            let result = try await authstate(["login", "--provider"] + arguments)
            #expect(result.status == 64 && result.output.isEmpty, "\(result)")
            #expect(result.errors.contains("--client-id") && result.errors.contains(place), "\(result)")
            #expect(result.errors.contains(entry), "\(result)")
        }

        @Test("say before anything opens that no answer could come here")
        func apple() async throws {
            let authstate = try Authstate(.django)
            func refusal(_ more: String...) async throws -> String {
                let result = try await authstate(["login", "--provider", "apple", "--client-id", "cli"] + more)
                #expect(result.status == 64 && result.output.isEmpty, "\(result)")
                return result.errors
            }
            let page = ["--redirect-uri", "https://app.example/callback"]
            #expect(try await refusal().contains("Apple cannot redirect here"))
            #expect(try await refusal(page[0], page[1]).contains("--paste"))
            #expect(try await refusal(page[0], page[1], "--paste").contains("use --scope openid"))
        }

        @Test func `warn of a redirect URI that the provider refuses`() async throws {
            let authstate = try Authstate(.django)
            let result = try await authstate(
                "login", "--provider", "spotify", "--client-id", "cli", "--redirect-uri",
                "http://localhost:0/callback", "--browser-command", try decliningBrowser(authstate))
            #expect(result.status == 77 && result.errors.contains("warning: Spotify refuses the name localhost."))
        }

        @Test("without registration say what to do instead")
        func registration() async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                ["register", "--provider", "github"], 78, [.endpointMissing], stage: .registration, hint: "--client-id")
        }
    }
}
