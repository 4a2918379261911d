import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// Logins for an API that a user confirms on another device, at glewlwyd before FastMCP.
    struct BridgeDeviceTests {
        /// Runs a body with an API whose tokens glewlwyd issues.
        private func run(_ body: (_ api: String, Authstate) async throws -> Void) async throws {
            let port = try #require((30_000..<32_000).randomElement())
            var provider = Provider.glewlwyd
            provider.resources = "http://127.0.0.1:\(port)/mcp"
            let process = try await ProviderProcess.start(provider)
            do {
                let settings = ["UPSTREAM_ISSUER": process.issuer, "DIRECT": "1"]
                try await ResourceServer.run(.fastmcp, settings, port: port) { server in
                    try await body(server.resource, Authstate(process))
                }
            } catch {
                try await process.stop()
                throw error
            }
            try await process.stop()
        }

        /// The options of a client that glewlwyd knows: it registers no client of its own for devices.
        private func options(_ user: Authstate) -> [String] {
            ["--grant", "device", "--client-id", "public", "--issuer", user.provider.issuer]
        }

        /// The page with the code in it that a text names.
        private func page(in text: String) throws -> URL {
            let words = text.split { $0.isWhitespace || $0 == "," }
            return try #require(
                words.last { $0.hasPrefix("http") && $0.contains("?") }.flatMap { URL(string: "\($0)") })
        }

        @Test func `a login for an API is confirmed elsewhere, and its token is for the API`() async throws {
            try await run { api, user in
                let login = try user.start(["login", "--for", api, "--json"] + options(user))
                try await eventually("the code") { login.errors.contains("enter the code:") ? () : nil }
                try await user.browser.open(page(in: login.errors))
                let result = try await login.result()
                try #require(result.status == 0, "\(result)")
                #expect(try result.json()["grant"]?.stringValue == GrantType.deviceCode.rawValue)
                #expect(result.errors.contains("Logging in at \(user.provider.issuer) for \(api)"), "\(result)")
                #expect(try await user.call("add", ["a": 1, "b": 2], at: api) == "3")
                #expect(try await user.json("refresh")["resource"]?.stringValue == api)
                #expect(try await user.call("add", ["a": 2, "b": 2], at: api) == "4")
            }
        }

        @Test("five bridges at once show one code, in the error of the call too; when it is confirmed all work")
        func bridges() async throws {
            try await run { api, user in
                let variables = ["XDG_STATE_HOME": user.folder("state"), "DISPLAY": "", "WAYLAND_DISPLAY": ""]
                let words = [api, "--profile", "mine", "--timeout", "60"] + options(user)
                let hosts = try (0..<5).map { _ in try BridgeHost(words, environment: variables) }
                let call: JSONValue = ["name": "add", "arguments": ["a": 1, "b": 2], "_meta": statelessMeta]
                func send(_ host: BridgeHost, _ id: JSONValue) {
                    host.send(["jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call])
                }
                for host in hosts { send(host, 1) }
                func error(_ host: BridgeHost, _ id: JSONValue) -> JSONValue? {
                    (try? host.messages)?.first { $0["id"] == id }?["error"]
                }
                let showing = try await eventually("the code") { hosts.first { error($0, 1) != nil } }
                let first = try #require(error(showing, 1))
                #expect(first["data"]?["authstate"]?["code"] == "authorizationPending", "\(first)")
                let text = first["message"]?.stringValue ?? ""
                let code = text.firstMatch(of: /enter the code ([^ ]+)\./)?.1 ?? "-"
                #expect(showing.program.errors.contains("\(code)\n") && text.contains("Repeat the call"), "\(text)")
                // A call that is repeated before has the same code.
                send(showing, 2)
                let second = try await eventually("the second error") { error(showing, 2) }
                #expect(second["message"] == first["message"])
                try await eventually("the ones that wait") {
                    hosts.count { $0.program.errors.contains("Waiting for the login") } == 4 ? () : nil
                }
                try await user.browser.open(page(in: text))
                for host in hosts where host.program !== showing.program {
                    #expect(try await host.message("the answer") { $0["id"] == 1 }["result"] != nil)
                }
                try await eventually("the login") {
                    let status = try await Program.run(
                        [Authstate.path, "status", "--profile", "mine", "--json"], environment: variables)
                    return status.status == 0 ? () : nil
                }
                try await eventually("the repeated call") {
                    let id = JSONValue.string(UUID().uuidString)
                    send(showing, id)
                    let answer = try await showing.message("the answer") { $0["id"] == id }
                    return answer["result"] != nil ? () : nil
                }
                for host in hosts {
                    host.end()
                    #expect(try await host.program.result().status == 0, "\(host.program.errors)")
                }
                #expect(hosts.count { $0.program.errors.contains("enter the code:") } == 1)
            }
        }

        @Test("a server without it is an error before a client registers, with the command that helps")
        func without() async throws {
            try await ResourceServer.run(.mcp) { server in
                let user = try Authstate()
                let words = ["login", "--for", server.resource, "--grant", "device"]
                try await user.expectFailure(
                    words, 78, [.endpointMissing], stage: .authorization, hint: "--paste'")
                #expect(try await server.requests(at: .first).count(of: "/register") == 0)
            }
        }
    }
}
