import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension EndToEndTests {
    /// `curl` as the local program, and an API that asks the provider about each token.
    struct ProxyTests {
        @Test(
            "passes requests and answers on, and the token instead of the program's own credentials",
            arguments: [
                Provider.glewlwyd, .django,
            ])
        func forwarding(_ provider: Provider) async throws {
            try await ProxiedAPI.run(for: provider) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let token = try #require(try await authstate.json("token")["access_token"]?.stringValue)
                    let found = try await proxy.curl(
                        "/items/3?a=b%20c", "-H", "X-Colour: blue", "-H", "Authorization: Bearer mine", "-H",
                        "Cookie: a=b",
                        "-H", "Connection: X-Hop", "-H", "X-Hop: 1")
                    #expect(found.status == 200 && found.headers.contains("x-answer: yes"), "\(found)")
                    #expect(!found.headers.lowercased().contains("set-cookie"))
                    let seen = try found.json()
                    #expect(seen["method"] == "GET" && seen["path"] == "/v1/items/3?a=b%20c" && seen["user"] != .null)
                    let headers = try #require(seen["headers"]?.objectValue)
                    #expect(headers["authorization"]?.stringValue == "Bearer \(token)" && headers["x-colour"] == "blue")
                    #expect(headers["host"]?.stringValue == api.host)
                    #expect(headers["cookie"] == nil && headers["x-hop"] == nil && headers["connection"] == nil)

                    // A body that curl announces first, and one whose length it does not know.
                    let text = String(repeating: "0123456789abcdef", count: 3 << 16)
                    let file = try authstate.folder.file("large", containing: text)
                    let posted = try await proxy.curl(
                        "/items", "--data-binary", "@\(file)", "-H", "Expect: 100-continue")
                    #expect(try posted.json()["length"] == 3_145_728 && posted.json()["method"] == "POST")
                    let chunked = try await proxy.curl("/items", "-T", file, "-H", "Transfer-Encoding: chunked")
                    #expect(try chunked.json()["length"] == 3_145_728 && chunked.json()["method"] == "PUT")
                    #expect(try chunked.json()["digest"] == posted.json()["digest"])

                    let zipped = try await proxy.curl("/zipped", "--compressed")
                    #expect(zipped.body == "plain" && !zipped.headers.lowercased().contains("content-encoding"))
                    let head = try await proxy.curl("/items", "-I")
                    #expect(head.status == 200 && head.headers.contains("content-length: "))
                    let moved = try await proxy.curl("/moved")
                    #expect(
                        moved.status == 302 && moved.headers.contains("location: \(proxy.url)/items/4?a=b\n"),
                        "\(moved)")
                    let followed = try await proxy.curl("/moved", "-L")
                    #expect(try followed.json()["path"] == "/v1/items/4?a=b")
                    for status in [204, 404, 500] {
                        #expect(try await proxy.curl("/status/\(status)").status == status)
                    }
                    #expect(proxy.errors.isEmpty, "\(proxy.errors)")
                }
            }
        }

        @Test(
            "renews a token that has expired, and one that the API refuses, once",
            arguments: [Provider.glewlwyd, .django])
        func renewal(_ provider: Provider) async throws {
            try await ProxiedAPI.run(for: provider) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let first = try await proxy.curl("/items").token
                    #expect(try await proxy.curl("/items").token == first)
                    try await authstate.expire()
                    let second = try await proxy.curl("/items").token
                    #expect(second != first)
                    try await api.refuse()
                    let third = try await proxy.curl("/items", "-d", "body")
                    #expect(try third.status == 200 && third.token != second && third.json()["length"] == 4)
                    #expect(
                        try await "Bearer \(authstate.json("token")["access_token"]?.stringValue ?? "")" == third.token)
                    #expect(proxy.errors.isEmpty, "\(proxy.errors)")
                }
            }
        }

        @Test(
            "tells program and person to log in again when the grant was revoked, and takes up the new login",
            arguments: [Provider.glewlwyd, .django])
        func revoked(_ provider: Provider) async throws {
            try await ProxiedAPI.run(for: provider) { api, authstate in
                try await authstate.logIn(client: "basic")
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    #expect(try await proxy.curl("/items").status == 200)
                    let copy = try await authstate.copy()
                    let record = copy.record
                    try await copy.service.revoke(
                        RevocationRequest(record.client, token: try #require(record.refreshToken)))
                    try await authstate.expire()
                    for _ in 0..<3 {
                        let refused = try await proxy.curl("/items")
                        let error = try refused.json()["error"]
                        #expect(refused.status == 502 && refused.headers.contains("content-type: application/json"))
                        // glewlwyd gives no reason.
                        let code = provider == .django ? "invalidGrant" : "refusedWithoutReason"
                        #expect(error?["code"]?.stringValue == code, "\(refused)")
                        #expect(error?["hint"]?.stringValue?.contains("'authstate login --state") == true, "\(refused)")
                    }
                    #expect(proxy.errors.count { $0 == "\n" } == 1 && proxy.errors.contains("'authstate login --state"))
                    for secret in [record.accessToken, record.refreshToken].compactMap({ $0 }) {
                        #expect(!proxy.errors.contains(secret))
                    }
                    try await authstate.logIn(client: "basic")
                    #expect(try await proxy.curl("/items").status == 200)
                }
            }
        }

        @Test(
            "ends with the login of another process, and takes up a new one, also of another user or with other settings"
        )
        func logout() async throws {
            try await ProxiedAPI.run(for: .glewlwyd) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let first = try await proxy.curl("/items").token
                    #expect(try await authstate("logout", "--local").status == 0)
                    let refused = try await proxy.curl("/items")
                    #expect(
                        try refused.status == 502 && refused.json()["error"]?["code"] == "notLoggedIn", "\(refused)")
                    #expect(proxy.errors.contains("No user is logged in."))
                    let login = try await authstate(authstate.loginArguments() + ["--leeway", "5"])
                    #expect(login.status == 0, "\(login)")
                    let second = try await proxy.curl("/items")
                    #expect(try second.status == 200 && second.token != first, "\(second) \(proxy.errors)")
                    // A login in the place of another one, without a logout.
                    try await authstate.logIn()
                    #expect(try await proxy.curl("/items").token != second.token)
                }
            }
        }

        @Test(
            "answers 502 while the API is unreachable, 504 when it takes too long, and the API's own 401 after a renewal"
        )
        func failing() async throws {
            try await ProxiedAPI.run(for: .glewlwyd) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 2) { proxy in
                    let slow = try await proxy.curl("/hang")
                    #expect(try slow.status == 504 && slow.json()["error"]?["code"] == "timedOut", "\(slow)")
                    let place = "127.0.0.1:\(proxy.port)"
                    let silent = try await ProxiedAPI.send("GET / HTTP/1.1\\r\\n", to: place)
                    #expect(silent.status == 0 && silent.output.isEmpty, "\(silent)")
                    let scope = try await proxy.curl("/scope")
                    #expect(scope.status == 403 && scope.body == "more" && scope.headers.contains("insufficient_scope"))
                    #expect(proxy.errors.contains("does not allow this request"))
                    let refused = try await proxy.curl("/refused")
                    #expect(
                        refused.status == 401 && refused.body == "no" && refused.headers.contains("www-authenticate: "))
                    #expect(proxy.errors.contains("also after a renewal"))
                    // One path that refuses the token, before and after a renewal, ends nothing else.
                    let after = try await proxy.curl("/items")
                    #expect(after.status == 200, "\(after)")
                    let token = try after.token
                    #expect(try await proxy.curl("/refused").status == 401)
                    #expect(try await proxy.curl("/items").token == token)
                    #expect(try await authstate("status").status == 0)
                }
                try await authstate.logIn()
                let port = try #require((30_000..<32_000).randomElement())
                try await RunningProxy.run("http://127.0.0.1:\(port)", by: authstate) { proxy in
                    for _ in 0..<2 {
                        let down = try await proxy.curl("/items")
                        #expect(try down.status == 502 && down.json()["error"]?["code"] == "unreachable", "\(down)")
                    }
                    #expect(proxy.errors.count { $0 == "\n" } == 1, "\(proxy.errors)")
                }
            }
        }

        @Test("refuses what has no key, what a page sends, and what could leave the base; the API sees none of it")
        func refusals() async throws {
            try await ProxiedAPI.run(for: .glewlwyd) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, ["--trace"]) { proxy in
                    let root = proxy.url.prefix(upTo: try #require(proxy.url.lastIndex(of: "/")))
                    let long = String(repeating: "a", count: 80 << 10)
                    let cases: [(status: Int, words: [String])] = [
                        (404, ["\(root)/items"]), (404, ["\(root)/"]), (404, ["\(proxy.url)A/items"]),
                        (403, [proxy.url, "-H", "Host: evil.example"]),
                        (403, [proxy.url, "-H", "Origin: https://evil.example"]),
                        (403, [proxy.url, "-H", "Sec-Fetch-Site: cross-site"]),
                        (400, ["\(proxy.url)/../../admin", "--path-as-is"]), (400, ["\(proxy.url)/%2e%2e/admin"]),
                        (400, ["\(proxy.url)/a%2f..%2f..%2fadmin"]), (400, ["\(proxy.url)//evil.example"]),
                        (400, ["http://api.example/v1", "--proxy", String(root), "-H", "Host: \(root.dropFirst(7))"]),
                        (501, ["https://api.example/v1", "--proxy", String(root), "-w", "%{http_connect}"]),
                        (501, [proxy.url, "--http2"]), (501, [proxy.url, "-X", "TRACE"]),
                        (417, [proxy.url, "-d", "a", "-H", "Expect: something"]),
                        (431, [proxy.url, "-H", "X-Long: \(long)"]),
                    ]
                    for (status, words) in cases {
                        let answer = try await Curl.run(words)
                        #expect(answer.status == status, "\(words.joined(separator: " ").prefix(200)): \(answer)")
                        #expect(!answer.body.contains(api.host) && !answer.headers.contains(api.host))
                    }
                    let bytes = try await ProxiedAPI.send("BREW\\r\\n\\r\\n", to: String(root.dropFirst(7)))
                    #expect(bytes.output.hasPrefix("HTTP/1.1 400 ") && bytes.output.contains("not HTTP"), "\(bytes)")
                    #expect(try await api.requests().isEmpty)
                    // A program that ends its side after the request gets its answer.
                    let place = String(root.dropFirst(7))
                    let path = proxy.url.dropFirst(root.count) + "/items"
                    let half = try await ProxiedAPI.send(
                        "GET \(path) HTTP/1.1\\r\\nHost: \(place)\\r\\n\\r\\n", to: place, isHalf: true)
                    #expect(half.output.hasPrefix("HTTP/1.1 200 "), "\(half)")
                    #expect(try await proxy.curl("/items?secret=1").status == 200)
                    let key = proxy.url.dropFirst(root.count + 1)
                    #expect(!proxy.errors.contains(key) && !proxy.errors.contains("secret=1"))
                    #expect(proxy.errors.contains("trace: proxy: GET /v1/items 200 "), "\(proxy.errors)")
                    #expect(proxy.errors.contains("trace: proxy: GET 404 "))
                }
            }
        }

        @Test("sends the token of a login for an API to that API alone")
        func resource() async throws {
            try await ResourceServer.run(.mcp) { server in
                let authstate = try Authstate()
                try await authstate.logIn(for: server.resource)
                try await authstate.expectFailure(
                    ["proxy", "https://api.example"], 64, [.invalidArgument], stage: .usage, hint: "--profile")
                try await RunningProxy.run(server.resource, by: authstate) { proxy in
                    let call = try ToolCall(name: "whoami").request(to: server.resource)
                    let body = try authstate.folder.file(
                        "body", containing: String(decoding: call.body ?? Data(), as: UTF8.self))
                    let lines = call.headers.map { "\($0.name): \($0.value)\n" }.joined()
                    let headers = try authstate.folder.file("headers", containing: lines)
                    let answer = try await proxy.curl("", "--data-binary", "@\(body)", "-H", "@\(headers)")
                    #expect(answer.status == 200 && answer.body.contains("alice"), "\(answer) \(proxy.errors)")
                }
            }
        }

        @Test(
            "listens on this machine alone, tells programs its address, and frees the port when it is ended",
            arguments: [
                SIGTERM, SIGINT,
            ])
        func ending(_ signal: Int32) async throws {
            try await ProxiedAPI.run(for: .glewlwyd) { api, authstate in
                let none = try await authstate("proxy", api.base)
                #expect(none.status == 77 && none.output.isEmpty && none.errors.contains("authstate login"))
                try await authstate.logIn()
                let first = try await RunningProxy(api.base, by: authstate, ["--json"])
                let port = first.port
                let listening = try Sockets.listeners(on: port)
                #expect(!listening.isEmpty && listening.isSubset(of: Sockets.loopback), "\(listening)")
                let taken = try await authstate("proxy", api.base, "--port", "\(port)")
                #expect(taken.status == 78 && taken.errors.contains("--port 0"), "\(taken)")
                // A request in progress does not keep it.
                let waiting = try Program.start(["curl", "-sS", "\(first.url)/hang"])
                try await eventually("the request") { try await api.requests().isEmpty ? nil : () }
                first.program.send(signal)
                let result = try await first.program.result(within: .seconds(10))
                #expect(result.status == 0, "\(result)")
                #expect(try await waiting.result().status != 0)
                #expect(try Sockets.listeners(on: port).isEmpty)

                let second = try await RunningProxy(api.base, by: authstate, ["--port", "\(port)", "--no-key"])
                #expect(
                    second.url == "http://127.0.0.1:\(port)" && second.errors.contains("every user of this machine"))
                #expect(try await second.curl("/items").status == 200)
                await second.program.end()
            }
        }

        @Test("sixteen requests that find an expired token share one renewal")
        func together() async throws {
            var configuration = OpenIDProvider.Configuration()
            configuration.accessTokenLifetime = .seconds(0.001)
            let provider = try await OpenIDProvider(configuration: configuration)
            let authstate = try Authstate()
            let service = AuthorizationService()
            let request = AuthorizationRequest(
                Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"))
            _ = try await AuthState.logIn(
                .browser(request, DirectUserAgent()),
                at: AuthState.Place(FileAuthStateStore(file: authstate.stateFile), service: service))
            provider.update { $0.accessTokenLifetime = .seconds(3600) }
            let gate = ScriptedTransport.Gate()
            provider.inject(.held(gate), at: .token)
            let resource = provider.url(of: .resource)
            try await RunningProxy.run(provider.issuer, by: authstate) { proxy in
                let place = resource.absoluteString.dropFirst(provider.issuer.count)
                let programs = try (0..<16).map { _ in
                    try Program.start(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "\(proxy.url)\(place)"])
                }
                try await eventually("the renewal") { provider.statistics.refreshRequests > 0 ? () : nil }
                gate.open()
                for program in programs { #expect(try await program.result().output == "200") }
                #expect(provider.statistics.refreshRequests == 1 && provider.statistics.refreshTokenReuses == 0)
            }
        }
    }
}
