import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct ForgottenClientTests {
        private func login(_ authstate: Authstate, _ server: ForgetfulServer, _ options: String...) throws -> [String] {
            ["login", "--issuer", server.issuer, "--scope", "read", "--browser-command", try authstate.walker()]
                + options
        }

        @Test func `registers anew once where the token endpoint tells, with every grant`() async throws {
            try await ForgetfulServer.run { server in
                let authstate = try Authstate()
                try await server.tell("lax=1")
                var clients: Set<String> = []
                for _ in 0..<2 {
                    let login = try await authstate(try login(authstate, server, "--register", "--json"))
                    try #require(login.status == 0, "\(login)")
                    clients.insert(try #require(try login.json()["client_id"]?.stringValue))
                    try await server.tell("forget")
                }
                #expect(clients.count == 2)
                #expect(try await server.seen(at: "/register").count == 2)
                // A client that registered just now is not refused for that: no second attempt.
                try await server.tell("forget")
                try await authstate.expectFailure(
                    ["login", "--for", "\(server.issuer)/one", "--client-id", "gone", "--browser-command"]
                        + [try authstate.walker()], 78, [.invalidClient], stage: .token, hint: "--client-id")
                #expect(try await server.seen(at: "/register").count == 2)
            }
        }

        @Test(
            "says at the time-out of a page which option registers anew, and that option does",
            arguments: [false, true])
        func atThePage(_ isForAPI: Bool) async throws {
            try await ForgetfulServer.run { server in
                let authstate = try Authstate()
                let folder = ["XDG_STATE_HOME": authstate.folder("xdg")]
                func run(_ options: String...) async throws -> Program.Result {
                    let place =
                        isForAPI ? ["--for", "\(server.issuer)/one"] : ["--issuer", server.issuer, "--scope", "read"]
                    let words =
                        [Authstate.path, "login", "--browser-command", try authstate.walker()] + place + options
                    return try await Program.start(words, environment: folder).result()
                }
                try #require(try await run("--register").status == 0)
                try await server.tell("forget")
                let late = try await run("--register", "--timeout", "2")
                #expect(late.status == 69 && late.errors.contains("--register-anew"), "\(late)")
                let anew = try await run("--register-anew")
                #expect(anew.status == 0, "\(anew)")
                #expect(try await server.seen(at: "/register").count == 2)
                // Or the client is forgotten here first.
                try await server.tell("forget")
                let logout = try await Program.start([Authstate.path, "logout", "--local"], environment: folder)
                    .result()
                #expect(logout.status == 0, "\(logout)")
                let again = try await run("--register")
                #expect(again.status == 0, "\(again)")
                #expect(try await server.seen(at: "/register").count == 3)
            }
        }

        @Test func `other commands say what to do, and a logout forgets the client`() async throws {
            try await ForgetfulServer.run { server in
                let authstate = try Authstate()
                let login = try login(authstate, server, "--register")
                try #require(try await authstate(login).status == 0)
                try await server.tell("forget")
                try await authstate.expectFailure(
                    ["refresh"], 78, [.invalidClient], stage: .refresh, hint: "--register-anew")
                try await authstate.expectFailure(
                    ["revoke"], 78, [.invalidClient], stage: .logout, hint: "forget it with 'authstate logout")
                try await authstate.expectFailure(
                    ["registration", "delete"], 78, [.registrationTokenRejected], stage: .registration, hint: "--local")
                let logout = try await authstate("logout")
                #expect(logout.status == 78 && logout.errors.contains("forgotten here too"), "\(logout)")
                #expect(try await authstate("registration").status == 64)
                try #require(try await authstate(login).status == 0)
                #expect(try await authstate.json("registration", "delete", "--local")["deleted"] == false)
                #expect(try await authstate("registration").status == 64)
                #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
            }
        }

        @Test(
            "a client without a page registers no redirect URI, unless the server wants one; token exchange is a grant")
        func redirectURIs() async throws {
            try await ForgetfulServer.run { server in
                let authstate = try Authstate()
                func register(_ grant: String) async throws -> JSONValue {
                    let words = ["register", "--issuer", server.issuer, "--grant", grant, "--grant", "token-exchange"]
                    let result = try await authstate(words)
                    try #require(result.status == 0, "\(result)")
                    #expect(try await authstate("logout", "--local").status == 0)
                    return try JSONValue(parsing: Array(try #require(try await server.seen(at: "/register").last).utf8))
                }
                let machine = try await register("client-credentials")
                #expect(machine["redirect_uris"]?.arrayValue ?? [] == [])
                #expect(machine["post_logout_redirect_uris"]?.arrayValue ?? [] == [])
                #expect(machine["grant_types"]?.arrayValue?.last?.stringValue == GrantType.tokenExchange.rawValue)
                #expect(try await register("authorization-code")["redirect_uris"]?.arrayValue?.count == 1)
                try await server.tell("strict=1")
                #expect(try await register("device")["redirect_uris"] == ["http://127.0.0.1/callback"])
                #expect(try await authstate("login", "--grant", "token-exchange", "--client-id", "c").status == 64)
            }
        }
    }
}
