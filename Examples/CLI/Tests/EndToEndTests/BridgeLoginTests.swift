import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// Hosts and servers of the protocol's own SDK for Python, and of FastMCP.
    struct BridgeLoginTests {
        private let user: Authstate

        init() throws {
            user = try Authstate()
        }

        /// The variables of the user's processes: the place of the logins.
        private var variables: [String: String] { ["XDG_STATE_HOME": user.folder("state")] }

        /// The options of the user's bridges.
        private func options(_ decision: LoginBrowser.Decision = .accept) -> [String] {
            ["--profile", "mine", "--browser-command", user.browser.commandLine(decision), "--timeout", "60"]
        }

        /// Uses bridges by hosts that others wrote.
        ///
        /// - Returns: The outcome of each, and the standard error of all.
        private func host(
            _ count: Int = 1, _ mode: String = "legacy", _ calls: String = #"[["add", {"a": 1, "b": 2}]]"#,
            at url: String, decision: LoginBrowser.Decision = .accept
        ) async throws -> (results: [JSONValue], errors: String) {
            let words = [Provider.python("mcp"), "\(Provider.scripts)/clients/mcp-host.py", "\(count)", mode, calls]
            let result = try await Program.run(
                words + [Authstate.path, "mcp", url] + options(decision), environment: variables, within: .seconds(90))
            #expect(result.status == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n")
            return (try lines.map { try JSONValue(parsing: Array($0.utf8)) }, result.errors)
        }

        /// The status of the login.
        private func status() async throws -> JSONValue {
            try await Program.run(
                [Authstate.path, "status", "--profile", "mine", "--json"], environment: variables
            ).json()
        }

        @Test(
            "hosts of both eras, at servers that answer with events and with JSON",
            arguments: ["legacy", "auto", "2026-07-28"], [[:], ["JSON_RESPONSE": "1"]])
        func hosts(mode: String, settings: [String: String]) async throws {
            try await ResourceServer.run(.mcp, settings) { server in
                let (results, errors) = try await host(1, mode, at: server.resource)
                #expect(results.first?["answers"] == ["3"], "\(results) \(errors)")
                #expect(results.first?["tools"]?.arrayValue?.count == 3)
                let revision = mode == "legacy" ? "2025-11-25" : "2026-07-28"
                #expect(results.first?["revision"]?.stringValue == revision)
                let seen = try await server.requests(at: .resource)
                // The session is closed.
                #expect((seen.last?.method == "DELETE") == (mode == "legacy"))
            }
        }

        @Test(
            "the generation of both before, which keeps sessions or none, for hosts of both eras",
            arguments: ["legacy", "auto"], [[:], ["JSON_RESPONSE": "1"], ["STATELESS": "1"]])
        func generationBefore(mode: String, settings: [String: String]) async throws {
            let before = settings.merging(["PYTHON_ENVIRONMENT": "mcp-before"]) { $1 }
            let upstream = ["UPSTREAM_ISSUER": try Provider.glewlwyd.process.issuer]
            for (software, more) in [(ResourceServer.Software.mcp, [:]), (.fastmcp, upstream)] {
                if software == .mcp, settings["STATELESS"] != nil { continue }
                let tests = try Self()
                try await ResourceServer.run(software, before.merging(more) { $1 }) { server in
                    let (results, errors) = try await tests.host(1, mode, at: server.resource)
                    #expect(results.first?["answers"] == ["3"], "\(software): \(results) \(errors)")
                    #expect(results.first?["revision"] == "2025-11-25")
                }
            }
        }

        /// How often five bridges begin; ten for what the bridge promises.
        private static let rounds =
            ProcessInfo.processInfo.environment["AUTHSTATE_BRIDGE_ROUNDS"].flatMap(Int.init) ?? 1

        @Test("five at the same moment show one page, and all work: the first time, and when the grant has ended")
        func five() async throws { for _ in 1...Self.rounds { try await Self().useFive() } }

        private func useFive() async throws {
            try await ResourceServer.run(.mcp) { server in
                for round in 1...2 {
                    let (results, errors) = try await host(5, at: server.resource)
                    #expect(results.count { $0["answers"] == ["3"] } == 5, "\(results) \(errors)")
                    try await expectLogins(round, at: server)
                    try await server.tell(.first, "revoke")
                }
            }
        }

        /// Each login has had one page and one request for tokens, and each ended grant one attempt to renew it.
        private func expectLogins(_ count: Int, at server: ResourceServer) async throws {
            let seen = try await server.requests(at: .first)
            let tokens = seen.filter { $0.path == "/token" }
            #expect(seen.count(of: "/authorize") == count && seen.count(of: "/register") == 1)
            #expect(tokens.count { $0.body.contains("authorization_code") } == count)
            #expect(tokens.count { !$0.body.contains("authorization_code") } == count - 1)
        }

        @Test(
            "the login outlives its bridge: of five, two are killed while the page is shown, and one page does for all",
            arguments: [false, true])
        func killed(hasEnded: Bool) async throws {
            for _ in 1...Self.rounds { try await Self().killTwo(hasEnded: hasEnded) }
        }

        /// - Parameter hasEnded: Whether there was a login, whose grant has ended.
        private func killTwo(hasEnded: Bool) async throws {
            try await ResourceServer.run(.mcp) { server in
                if hasEnded {
                    _ = try await host(at: server.resource)
                    try await server.tell(.first, "revoke")
                }
                // The user takes a while: until the file is there.
                let gate = user.folder("gate")
                let patient = "\(LoginBrowser.python) -c '\(Self.patience)' \(gate) "
                let arguments =
                    [server.resource] + options().with("--browser-command", patient + user.browser.commandLine())
                let hosts = try (0..<5).map { _ in try BridgeHost(arguments, environment: variables) }
                for host in hosts { host.send(Self.initialize) }
                let showing = try await eventually("the page") {
                    hosts.first { $0.program.errors.contains("Logging in at") }
                }
                let other = try #require(hosts.first { $0.program !== showing.program })
                for host in [showing, other] {
                    host.program.send(SIGKILL)
                    host.end()
                    #expect(try await host.program.result().status == 128 + SIGKILL)
                }
                // A host starts a bridge again that it has ended.
                let again = try BridgeHost(arguments, environment: variables)
                again.send(Self.initialize)
                try await eventually("the ones that wait") {
                    again.program.errors.contains("Waiting for the login") ? () : nil
                }
                try user.folder.file("gate", containing: "")
                let living = hosts.filter { $0.program !== showing.program && $0.program !== other.program } + [again]
                for host in living {
                    let answer = try await host.message("the answer") { $0["id"] == 0 }
                    #expect(answer["result"] != nil, "\(answer)")
                    host.end()
                    #expect(try await host.program.result().status == 0)
                }
                try await expectLogins(hasEnded ? 2 : 1, at: server)
            }
        }

        private static let initialize: JSONValue = [
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": [
                "protocolVersion": "2025-11-25", "capabilities": [:],
                "clientInfo": ["name": "tests", "version": "1"],
            ],
        ]
        /// Waits for a file, and then becomes the program that is named behind it.
        private static let patience = """
            import os, sys, time
            while not os.path.exists(sys.argv[1]): time.sleep(0.05)
            os.execv(sys.argv[2], sys.argv[2:])
            """

        @Test func `a tool that needs more rights leads to a second login, and the call goes on`() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                let calls =
                    #"[["add", {"a": 1, "b": 2}], ["write_note", {"text": "x"}], ["write_note", {"text": "y"}]]"#
                let (results, errors) = try await host(1, "auto", calls, at: server.resource)
                #expect(results.first?["answers"] == ["3", "1", "2"], "\(results) \(errors)")
                #expect(try await server.requests(at: .first).count(of: "/authorize") == 2)
                #expect(try await status()["scope"] == "mcp notes:write")
            }
        }

        @Test func `a right that the user declines is an error of the call, and other calls work`() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                _ = try await host(1, "auto", at: server.resource)
                let (results, _) = try await host(
                    1, "auto", #"[["write_note", {"text": "x"}]]"#, at: server.resource, decision: .decline)
                let error = results.first?["error"]?.stringValue ?? ""
                #expect(error.contains("Logging in there") && error.contains("denied"), "\(results)")
                let (others, _) = try await host(1, "auto", at: server.resource)
                #expect(others.first?["answers"] == ["3"], "\(others)")
            }
        }

        @Test func `an agent that repeats a call that the user declined shows no second page`() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                _ = try await host(1, "auto", at: server.resource)
                let host = try BridgeHost([server.resource] + options(.decline), environment: variables)
                for id in [1, 2, 3] as [JSONValue] {
                    let call: JSONValue = ["name": "write_note", "arguments": ["text": "x"], "_meta": statelessMeta]
                    let error = try await host.answer("tools/call", id: id, call)["error"]
                    #expect(error?["data"]?["authstate"]?["code"] == "accessDenied", "\(String(describing: error))")
                }
                host.end()
                #expect(try await host.program.result().status == 0)
                #expect(try await server.requests(at: .first).count(of: "/authorize") == 2)
            }
        }

        @Test func `follows the server to another authorization server`() async throws {
            try await ResourceServer.run(.mcp, ["SECOND_ISSUER": "1"]) { server in
                _ = try await host(at: server.resource)
                try await server.tell(.resource, "issuer", "issuer=\(server.secondIssuer)")
                let (results, errors) = try await host(at: server.resource)
                #expect(results.first?["answers"] == ["3"], "\(results) \(errors)")
                #expect(try await status()["issuer"]?.stringValue == server.secondIssuer)
            }
        }

        @Test func `where no browser can be shown, the error says which command logs in`() async throws {
            try await ResourceServer.run(.mcp) { server in
                let host = try BridgeHost(
                    [server.resource],
                    environment: variables.merging(["DISPLAY": "", "WAYLAND_DISPLAY": ""]) { $1 })
                let error = try await host.answer("initialize", id: 1)["error"]?["message"]?.stringValue ?? ""
                let profile = server.resource.dropFirst("http://".count).replacing("/", with: "+")
                let command = "'authstate login --profile \(profile) --for \(server.resource) --paste'"
                #expect(error.contains("no display") && error.contains(command), "\(error)")
                host.end()
                #expect(try await host.program.result().status == 0)
            }
        }

        @Test("FastMCP, which logs the user in at glewlwyd", arguments: ["legacy", "auto"])
        func fastMCP(mode: String) async throws {
            let issuer = try Provider.glewlwyd.process.issuer
            try await ResourceServer.run(.fastmcp, ["UPSTREAM_ISSUER": issuer]) { server in
                let (results, errors) = try await host(1, mode, at: server.resource)
                #expect(results.first?["answers"] == ["3"], "\(results) \(errors)")
            }
        }
    }
}
