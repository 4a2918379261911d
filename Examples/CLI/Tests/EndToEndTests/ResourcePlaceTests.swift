import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct ResourcePlaceTests {
        private func login(_ api: String, _ options: String...) -> [String] {
            ["login", "--for", api, "--json"] + options
        }

        @Test("remembers the server that the API named first, beyond a logout; the secret goes to no other one")
        func secret() async throws {
            try await ForgetfulServer.run { server in
                try await ForgetfulServer.run { stranger in
                    let authstate = try Authstate()
                    let machine = login(
                        "\(server.issuer)/one", "--grant", "client-credentials", "--client-id", "machine",
                        "--client-secret-env", "CLIENT_SECRET", "--browser-command", "false")
                    let first = try await authstate(machine)
                    try #require(first.status == 0, "\(first)")
                    #expect(try first.json()["issuer"]?.stringValue == server.issuer)
                    #expect(try await authstate("logout").status == 0)
                    #expect(try await authstate("token").status == 77)
                    try await server.tell("server=\(stranger.issuer)")
                    let moved = try await authstate(machine)
                    #expect(moved.status == 78, "\(moved)")
                    #expect(try moved.json()["error"]?["code"] == "clientIssuerMismatch")
                    #expect(try await stranger.seen(at: "/token").isEmpty)
                    let named = try await authstate(machine + ["--issuer", stranger.issuer])
                    #expect(named.status == 0, "\(named)")
                    #expect(try await authstate("logout", "--local").status == 0)
                    #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
                }
            }
        }

        @Test("serves a second API of the same server with the same client, and no API of another one")
        func secondAPI() async throws {
            try await ForgetfulServer.run { server in
                try await ForgetfulServer.run { stranger in
                    let authstate = try Authstate()
                    let browser = ["--browser-command", try authstate.walker()]
                    let first = try await authstate(login("\(server.issuer)/one") + browser)
                    try #require(first.status == 0, "\(first)")
                    let second = try await authstate(login("\(server.issuer)/two") + browser)
                    try #require(second.status == 0, "\(second)")
                    #expect(try second.json()["client_id"] == first.json()["client_id"])
                    #expect(try await server.seen(at: "/register").count == 1)
                    #expect(try await authstate("request", "\(server.issuer)/two").status == 0)
                    let other = try await authstate(login("\(stranger.issuer)/one") + browser)
                    #expect(other.status == 64 && other.output.contains("--profile"), "\(other)")
                    #expect(try await authstate.json("status")["resource"]?.stringValue == "\(server.issuer)/two")
                }
            }
        }

        @Test("goes without the parameter resource where the server's page refuses it, which the time-out names")
        func unnamedResource() async throws {
            try await ForgetfulServer.run { server in
                let authstate = try Authstate()
                try await server.tell("refuses=1")
                let words = login("\(server.issuer)/one", "--browser-command", try authstate.walker())
                let refused = try await Program.run(
                    [Authstate.path] + words + ["--state", authstate.stateFile, "--timeout", "2"])
                #expect(refused.status == 69 && refused.output.contains("--tolerate unnamed-resource"), "\(refused)")
                let tolerated = try await authstate(words + ["--tolerate", "unnamed-resource"])
                #expect(tolerated.status == 0, "\(tolerated)")
                #expect(try await authstate("refresh").status == 0)
                let sent = try await server.seen(at: "/token")
                #expect(sent.count == 2 && sent.allSatisfy { !$0.contains("resource=") })
                // The API gets the token all the same, and a redirect is told.
                #expect(try await authstate("request", "\(server.issuer)/one").status == 0)
                let moved = try await authstate("request", "\(server.issuer)/old")
                #expect(moved.status == 1 && moved.errors.contains("\(server.issuer)/one"), "\(moved)")
            }
        }

        @Test("with assertions that the client's key signs, renewed and used for more rights by later commands")
        func serviceAccount() async throws {
            try await ForgetfulServer.run { server in
                let authstate = try Authstate()
                let file = try authstate.folder.file(of: SigningKey.generate(.es256, keyID: "1"))
                let result = try await authstate(
                    login(
                        "\(server.issuer)/one", "--grant", "jwt-bearer", "--client-id", "service", "--private-key",
                        file, "--subject", "ada"))
                try #require(result.status == 0, "\(result)")
                try await authstate.expire()
                #expect(try await authstate("refresh").status == 0)
                #expect(try await authstate("request", "\(server.issuer)/one", "--step-up").status == 0)
                let sent = try await server.seen(at: "/token")
                #expect(sent.count == 2 && sent.allSatisfy { $0.contains("assertion=") && $0.contains("/one") })
            }
        }
    }
}
