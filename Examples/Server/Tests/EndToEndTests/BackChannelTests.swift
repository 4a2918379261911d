import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// Two servers of one site, as behind a load balancer, at a provider that tells one of them of logouts.
@Suite(.whereProvidersAreInstalled, .timeLimit(.minutes(2)))
struct BackChannelTests {
    @Test("Alice signs out at glewlwyd, which tells one server, and her session has ended at both; Bob's continues")
    func logout() async throws {
        let (folder, ports) = (try TemporaryFolder(), [RedirectPorts.next(), RedirectPorts.next()])
        let base = "http://127.0.0.1:\(ports[0])"
        var software = Provider.glewlwyd
        software.backChannelLogoutURI = "\(base)/backchannel-logout"
        let provider = try await ProviderProcess.start(software)
        let servers = try ports.map { port in
            try ServerProgram.start([
                "ISSUER": provider.issuer, "CLIENT_ID": "basic", "CLIENT_SECRET": "s3cret", "BASE_URL": base,
                "SCOPE": "openid profile", "TOLERATE": "missingLogoutExpiry", "PORT": "\(port)",
                "STATE_FOLDER": folder("states"),
            ])
        }
        do {
            for port in ports { try await RunningSite.answers("http://127.0.0.1:\(port)") }
            let visitors = try [Visitor("alice", at: base, ports), Visitor("bob", at: base, ports)]
            for visitor in visitors {
                try await visitor.signIn()
                #expect(try await visitor.profiles() == [200, 200])
            }
            try await visitors[0].leave(provider, folder("states"))
            try await eventually("the end of her session at both servers", within: .seconds(10)) {
                try await visitors[0].profiles() == [403, 403] ? true : nil
            }
            #expect(try await visitors[1].profiles() == [200, 200])
        } catch {
            for server in servers { server.send(SIGKILL) }
            try await provider.stop()
            throw error
        }
        for server in servers { await server.end() }
        try await provider.stop()
        #expect(servers[0].errors.contains("signed out by the provider"), "\(servers[0].errors)")
        #expect(!servers[1].errors.contains("signed out by the provider"))
    }

    /// A user with curl for the site's cookies, and a browser for the provider's.
    private struct Visitor {
        let name: String
        let base: String
        let ports: [Int]
        let browser: LoginBrowser
        let folder: TemporaryFolder

        init(_ name: String, at base: String, _ ports: [Int]) throws {
            (self.name, self.base, self.ports) = (name, base, ports)
            (browser, folder) = (try LoginBrowser(user: name), try TemporaryFolder())
        }

        func signIn() async throws {
            let login = try await curl("%{redirect_url}", "\(base)/login", "--header", "Sec-Fetch-Site: none")
            let page = try #require(URL(string: login), "\(login)")
            let callback = try await browser.redirect(from: page)
            #expect(try await curl("%{http_code}", callback.absoluteString) == "302")
        }

        /// The status of the profile at each server; the second one sees the site's name, as behind a load balancer.
        func profiles() async throws -> [Int] {
            var statuses: [Int] = []
            for port in ports {
                let host = "Host: \(base.dropFirst("http://".count))"
                let status = try await curl(
                    "%{http_code}", "http://127.0.0.1:\(port)/profile", "--header", host)
                statuses.append(Int(status) ?? 0)
            }
            return statuses
        }

        /// Signs out at the provider, with the ID token that says which session.
        func leave(_ provider: ProviderProcess, _ states: String) async throws {
            let records = try FileManager.default.contentsOfDirectory(atPath: states).compactMap { name in
                try? AuthStateArchive(data: Data(contentsOf: URL(fileURLWithPath: "\(states)/\(name)"))).record
            }
            let record = try #require(
                records.first { record in
                    record.idToken.flatMap { try? IDToken(parsing: $0) }?.claims["name"]?.stringValue?
                        .lowercased().contains(name) == true
                })
            let page = try #require(record.client.provider.endSessionEndpoint)
            var url = try #require(URLComponents(url: page, resolvingAgainstBaseURL: true))
            url.queryItems = [URLQueryItem(name: "id_token_hint", value: record.idToken)]
            let logout = try #require(url.url)
            try await browser.open(logout)
        }

        private func curl(_ answer: String, _ words: String...) async throws -> String {
            let result = try await Program.run(
                ["curl", "--silent", "--show-error", "--output", "/dev/null", "--write-out", answer]
                    + ["--cookie", folder("jar"), "--cookie-jar", folder("jar")] + words)
            try #require(result.status == 0, "\(result.errors)")
            return result.output
        }
    }
}
