import AuthStateKit
import AuthStateTesting
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

        @Test(
            "five bridges at once, and one that a host has started again, tell one code; when it is confirmed all work")
        func bridges() async throws {
            try await run { api, user in
                let variables = ["XDG_STATE_HOME": user.folder("state"), "DISPLAY": "", "WAYLAND_DISPLAY": ""]
                let words = [api, "--profile", "mine", "--timeout", "60"] + options(user)
                func start() throws -> BridgeHost { try BridgeHost(words, environment: variables) }
                let call: JSONValue = ["name": "add", "arguments": ["a": 1, "b": 2], "_meta": statelessMeta]
                func send(_ host: BridgeHost, _ id: JSONValue) {
                    host.send(["jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call])
                }
                func error(_ host: BridgeHost, _ id: JSONValue) async throws -> JSONValue {
                    try #require(try await host.message("the code") { $0["id"] == id }["error"])
                }
                var hosts = try (0..<5).map { _ in try start() }
                for host in hosts { send(host, 1) }
                var texts: Set<String> = []
                for host in hosts {
                    let first = try await error(host, 1)
                    #expect(first["data"]?["authstate"]?["code"] == "authorizationPending", "\(first)")
                    texts.insert(first["message"]?.stringValue ?? "")
                }
                func codes() -> [Substring] { texts.map { $0.firstMatch(of: /enter the code ([^ ]+)\./)?.1 ?? "-" } }
                let code = try #require(codes().first)
                #expect(Set(codes()) == [code] && texts.allSatisfy { $0.contains("Repeat the call") }, "\(texts)")
                #expect(hosts.allSatisfy { $0.program.errors.contains("\(code)\n") })
                #expect(hosts.count { $0.program.errors.contains("Waiting for the login") } == 4)
                // A call that is repeated before has the same code, and so has one of a bridge that begins now.
                send(hosts[0], 2)
                texts.insert(try await error(hosts[0], 2)["message"]?.stringValue ?? "")
                let killed = try #require(hosts.firstIndex { !$0.program.errors.contains("Waiting for the login") })
                hosts[killed].program.send(SIGKILL)
                hosts[killed].end()
                _ = try await hosts[killed].program.result()
                hosts[killed] = try start()
                send(hosts[killed], 2)
                texts.insert(try await error(hosts[killed], 2)["message"]?.stringValue ?? "")
                #expect(Set(codes()) == [code], "\(texts)")
                try await user.browser.open(page(in: texts.first ?? ""))
                try await eventually("the login") {
                    let status = try await Program.run(
                        [Authstate.path, "status", "--profile", "mine", "--json"], environment: variables)
                    return status.status == 0 ? () : nil
                }
                for host in hosts {
                    try await eventually("the repeated call") {
                        let id = JSONValue.string(UUID().uuidString)
                        send(host, id)
                        let answer = try await host.message("the answer") { $0["id"] == id }
                        return answer["result"] != nil ? () : nil
                    }
                    host.end()
                    #expect(try await host.program.result().status == 0, "\(host.program.errors)")
                }
            }
        }

        /// A provider whose API is the user's, and a user without a browser at the machine.
        private func provider(
            _ body: (_ api: String, OpenIDProvider, Authstate) async throws -> Void
        ) async throws {
            var configuration = OpenIDProvider.Configuration()
            configuration.protectedResource.metadataPlaces = [.challenge, .path]
            configuration.protectedResource.scopes = ["api"]
            configuration.protectedResource.scopesSupported = ["api", "profile"]
            configuration.devicePollingInterval = .milliseconds(100)
            let provider = try await OpenIDProvider(configuration: configuration)
            var user = try Authstate()
            for name in ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"] { user.environment[name] = "" }
            try await body(provider.url(of: .resource).absoluteString, provider, user)
            await provider.stop()
        }

        /// Runs a command to its end, and allows the login whose code it shows.
        private func allow(
            _ provider: OpenIDProvider, _ user: Authstate, _ words: String...
        ) async throws -> Program.Result {
            let program = try user.start(words)
            try await eventually("the code") {
                let code = program.errors.firstMatch(of: /enter the code:\s+([A-Z-]+)\n/)?.1
                return code.map { provider.decide(userCode: String($0), allow: true) } == true ? () : nil
            }
            return try await program.result()
        }

        @Test("more rights, and a login after the grant's end, come by a code as the login did, unless a page is named")
        func way() async throws {
            try await provider { api, provider, user in
                provider.troubles = [try #require(.init(rawValue: "wanted-redirect-uri"))]
                let login = try await allow(provider, user, "login", "--for", api, "--grant", "device")
                try #require(login.status == 0, "\(login)")
                #expect(provider.requests(at: .registration).count == 2)

                provider.update { $0.protectedResource.scopes = ["api", "profile"] }
                let more = try await allow(provider, user, "request", api, "--step-up")
                #expect(more.status == 0 && more.errors.contains("with the scope api profile"), "\(more)")
                #expect(try await user.json("status")["grant"]?.stringValue == GrantType.deviceCode.rawValue)

                provider.revokeGrants()
                #expect(try await user("refresh").status == 77)
                let again = try await allow(provider, user, "login", "--for", api)
                #expect(again.status == 0, "\(again)")
                #expect(try await user.json("status")["grant"]?.stringValue == GrantType.deviceCode.rawValue)
                #expect(provider.requests(at: .authorization).isEmpty)
                #expect(provider.requests(at: .registration).count == 2)
                provider.revokeGrants()
                let late = try await Program.run(
                    [Authstate.path, "login", "--for", api, "--state", user.stateFile, "--timeout", "3"],
                    environment: user.environment)
                #expect(late.errors.contains("enter the code"), "\(late)")
                #expect(late.errors.contains("Confirm the login sooner"), "\(late)")
                for words in [["--paste"], ["--grant", "authorization-code"]] {
                    let page = try await user(["login", "--for", api] + words)
                    #expect(page.status != 0 && !page.errors.contains("enter the code"), "\(page)")
                }
            }
        }

        @Test func `a login at a page in its place is kept as one of a page`() async throws {
            try await provider { api, provider, user in
                try #require(try await allow(provider, user, "login", "--for", api, "--grant", "device").status == 0)
                provider.revokeGrants()
                let words = [Authstate.path, "request", api, "--step-up", "--paste", "--state", user.stateFile]
                let host = try BridgeHost(words: words, environment: user.environment)
                let page = try await eventually("the address") {
                    host.program.errors.firstMatch(of: /in a browser:\s+(http[^\s]+)\n/)?.1
                }
                let url = try #require(URL(string: String(page)))
                let answer = try await SystemTransport.shared.send(TransportRequest(url: url))
                host.send(try #require(answer.headers["Location"], "\(answer)"))
                let result = try await host.program.result()
                host.end()
                #expect(result.status == 0, "\(result)")
                #expect(try await user.json("status")["grant"]?.stringValue != GrantType.deviceCode.rawValue)
            }
        }

        @Test func `a bridge keeps the way of the login too`() async throws {
            try await provider { api, provider, user in
                let variables = user.environment.merging(["XDG_STATE_HOME": user.folder("state")]) { $1 }
                let call: JSONValue = ["name": "add", "_meta": statelessMeta]
                var limits: [Substring] = []
                for words in [["--grant", "device"], [], ["--timeout", "90"]] {
                    let host = try BridgeHost([api, "--profile", "mine"] + words, environment: variables)
                    let error = try await host.answer("tools/call", id: 1, call)["error"]
                    let text = error?["message"]?.stringValue ?? ""
                    let code = try #require(text.firstMatch(of: /enter the code ([^ ]+)\./)?.1, "\(text)")
                    limits.append(text.firstMatch(of: /within ([0-9]+) min/)?.1 ?? "")
                    #expect(provider.decide(userCode: String(code), allow: true))
                    // The API is no server of the protocol: it has the token when it says so.
                    try await eventually("the login") {
                        let error = try await host.answer("tools/call", id: .string(UUID().uuidString), call)["error"]
                        return error?["data"]?["authstate"]?["code"] == "authorizationPending" ? nil : ()
                    }
                    host.end()
                    #expect(try await host.program.result().status == 0)
                    provider.revokeGrants()
                }
                #expect(provider.requests(at: .authorization).isEmpty && limits == ["9", "9", "1"])
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
