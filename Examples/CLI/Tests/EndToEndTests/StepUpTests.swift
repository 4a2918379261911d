import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// At the resource server of the Model Context Protocol's own SDK for Python.
    struct StepUpTests {
        @Test func `needs --step-up for more rights, and gets them with one login`() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                let authstate = try Authstate()
                try await authstate.logIn(for: server.resource)
                let refused = try await authstate.writeNote(at: server.resource)
                #expect(refused.status == 1 && refused.output.contains("insufficient_scope"), "\(refused)")
                #expect(
                    refused.errors.contains("with --step-up")
                        && refused.errors.contains("--for \(server.resource) --scope"))
                let visits = try authstate.browser.visits.count

                let allowed = try await authstate.writeNote(at: server.resource, authstate.stepUp() + ["--json"])
                #expect(try allowed.status == 0 && allowed.json()["status"] == 200, "\(allowed)")
                #expect(allowed.errors.contains("with the scope mcp notes:write."))
                #expect(try await authstate.json("status")["scope"] == "mcp notes:write")
                #expect(try authstate.browser.visits.count > visits)
                // There is nothing more to ask for: no browser is needed.
                #expect(try await authstate.writeNote(at: server.resource, ["--step-up"]).status == 0)
                #expect(try await server.requests(at: .first).count(of: "/register") == 1)
            }
        }

        @Test func `gives up when more rights are not granted, or the user declines`() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                let authstate = try Authstate()
                try await authstate.logIn(for: server.resource)
                let declined = try await authstate.writeNote(
                    at: server.resource, authstate.stepUp(.decline) + ["--json"])
                #expect(try declined.status == 77 && declined.json()["error"]?["code"] == "accessDenied", "\(declined)")
                #expect(try await authstate.json("status")["scope"] == "mcp")

                try await server.tell(.first, "limit", "scope=mcp")
                let limited = try await authstate.writeNote(at: server.resource, authstate.stepUp() + ["--json"])
                let error = try limited.json()["error"]
                #expect(limited.status == 1 && error?["code"] == "insufficientScope", "\(limited)")
                #expect(error?["hint"]?.stringValue?.hasPrefix("Ask the operator") == true, "\(limited)")
                #expect(try await authstate.call("add", ["a": 1, "b": 1], at: server.resource) == "2")
            }
        }

        @Test func `logs in again after the grant was revoked`() async throws {
            try await ResourceServer.run(.mcp) { server in
                let authstate = try Authstate()
                let login = try await authstate.logIn(for: server.resource)
                try await server.tell(.first, "revoke")
                let call = try authstate.toolArguments(ToolCall(name: "whoami"), at: server.resource)
                let refused = try await authstate(call)
                #expect(refused.status == 77 && refused.errors.contains(" --for \(server.resource)'."), "\(refused)")
                let mended = try await authstate(call + authstate.stepUp())
                #expect(mended.status == 0 && mended.output.contains("alice"), "\(mended)")
                #expect(try await authstate.json("status")["client_id"] == login["client_id"])
            }
        }

        @Test func `follows the API to another authorization server, which sees nothing of the first`() async throws {
            try await ResourceServer.run(.mcp, ["SECOND_ISSUER": "1"]) { server in
                let authstate = try Authstate()
                let login = try await authstate.logIn(for: server.resource)
                let old = try await authstate.state().record
                try await server.tell(.resource, "issuer", "issuer=\(server.secondIssuer)")
                let call = try authstate.toolArguments(ToolCall(name: "whoami"), at: server.resource)
                #expect(try await authstate(call).status == 77)
                let moved = try await authstate(call + authstate.stepUp())
                #expect(moved.status == 0 && moved.output.contains(server.secondIssuer), "\(moved)")
                let status = try await authstate.json("status")
                #expect(
                    status["issuer"]?.stringValue == server.secondIssuer && status["client_id"] != login["client_id"])
                let seen = try await server.requests(at: .second).filter { $0.path != "/introspect" }
                let secrets = [old.client.id, old.refreshToken, old.lastTokenResponse?.accessToken].compactMap(\.self)
                #expect(seen.count(of: "/token") == 1 && secrets.count == 3)
                for secret in secrets { #expect(!seen.contains { $0.everything.contains(secret) }) }
            }
        }

        @Test func `follows an API that is started again with another authorization server`() async throws {
            let authstate = try Authstate()
            let (first, login) = try await ResourceServer.run(.mcp) { server in
                (server, try await authstate.logIn(for: server.resource))
            }
            let call = try authstate.toolArguments(ToolCall(name: "whoami"), at: first.resource)
            try await ResourceServer.run(.mcp, port: first.port) { server in
                #expect(server.resource == first.resource && server.issuer != first.issuer)
                // The server of the login before may be down for a while only.
                let refused = try await authstate(call)
                let again = "--for \(server.resource)'"
                #expect(refused.status == 69 && refused.errors.contains(again), "\(refused)")
                let moved = try await authstate(call + authstate.stepUp())
                #expect(moved.status == 0 && moved.output.contains(server.issuer), "\(moved)")
                let status = try await authstate.json("status")
                #expect(status["issuer"]?.stringValue == server.issuer && status["client_id"] != login["client_id"])
            }
        }

        @Test("registers at a proxy, renews, logs in after a revocation, and registers anew when it was forgotten")
        func proxy() async throws {
            let settings = ["UPSTREAM_ISSUER": try Provider.glewlwyd.process.issuer, "ACCESS_TOKEN_SECONDS": "4"]
            let authstate = try Authstate()
            let (port, login) = try await ResourceServer.run(.fastmcp, settings) { server in
                let login = try await authstate.logIn(for: server.resource)
                #expect(login["issuer"]?.stringValue == server.issuer && login["can_renew"] == true)
                let token = try await authstate.json("token")["access_token"]
                try await Task.sleep(for: .seconds(4))
                #expect(try await authstate.call("add", ["a": 3, "b": 4], at: server.resource) == "7")
                #expect(try await authstate.json("token")["access_token"] != token)

                // Revoked behind the program's back.
                let record = try await authstate.state().record
                try await AuthorizationService().revoke(
                    RevocationRequest(record.client, token: try #require(record.refreshToken)))
                #expect(try await authstate("refresh").status == 77)
                let call = try authstate.toolArguments(
                    ToolCall(name: "add", arguments: ["a": 4, "b": 4]), at: server.resource)
                let again = try await authstate(call + authstate.stepUp())
                #expect(again.status == 0 && again.output.contains("8"), "\(again)")
                #expect(try await server.requests(at: .resource).count(of: "/register") == 1)
                return (server.port, login)
            }
            try await ResourceServer.run(.fastmcp, settings, port: port) { server in
                let call = try authstate.toolArguments(
                    ToolCall(name: "add", arguments: ["a": 3, "b": 4]), at: server.resource)
                let refused = try await authstate(call)
                #expect(refused.status != 0, "\(refused)")
                let again = try await authstate(call + authstate.stepUp())
                #expect(again.status == 0 && again.output.contains("7"), "\(again)")
                #expect(try await authstate.json("status")["client_id"] != login["client_id"])
            }
        }

        @Test("lists one profile, also when registrations at two servers are kept")
        func profiles() async throws {
            try await ResourceServer.run(.mcp, ["SECOND_ISSUER": "1"]) { server in
                let authstate = try Authstate()
                let environment = ["XDG_STATE_HOME": authstate.folder("xdg")]
                func run(_ arguments: [String]) async throws -> Program.Result {
                    try await Program.start([Authstate.path] + arguments, environment: environment).result()
                }
                for issuer in [server.issuer, server.secondIssuer, server.issuer] {
                    try await server.tell(.resource, "issuer", "issuer=\(issuer)")
                    let login = try await run(authstate.loginArguments(for: server.resource))
                    #expect(login.status == 0 && login.errors.contains("Logging in at \(issuer) for"), "\(login)")
                }
                #expect(try await server.requests(at: .first).count(of: "/register") == 1)
                let list = try await run(["profiles"])
                #expect(list.output.split(separator: "\n").map { $0.prefix { $0 != " " } } == ["default"], "\(list)")
            }
        }

        @Test("asks for a login first where there is none, and for a browser only when it is needed")
        func without() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                var authstate = try Authstate()
                authstate.environment["DISPLAY"] = ""
                authstate.environment["WAYLAND_DISPLAY"] = ""
                authstate.environment["BROWSER"] = ""
                try await authstate.expectFailure(
                    ["request", server.resource, "--step-up"], 77, [.notLoggedIn], stage: .store,
                    hint: " --for \(server.resource)'")
                try await authstate.logIn(for: server.resource)
                let call = try authstate.toolArguments(ToolCall(name: "whoami"), at: server.resource)
                #expect(try await authstate(call + ["--step-up"]).status == 0)
                let note = try await authstate.writeNote(at: server.resource, ["--step-up"])
                #expect(note.status == 78 && note.errors.contains("--paste"), "\(note)")
            }
        }
    }
}
