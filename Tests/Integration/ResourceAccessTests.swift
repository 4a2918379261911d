import AuthStateJOSE
import AuthStateKit
import AuthStateResource
import Foundation
import Testing

/// A program that knows the URL of a resource, with a user at its browser.
struct ResourceProgram: Sendable {
    static let metadata: ClientMetadata = {
        var metadata = ClientMetadata()
        metadata.clientName = "AuthStateKit tests"
        return metadata
    }()

    let access: ResourceAccess
    /// Keeps the browser's folder.
    private let browser: LoginBrowser?

    /// A program that logs in by itself.
    init(
        _ resource: String, clients: [ResourceClient], login: ResourceLogin,
        store: any AuthStateStore = InMemoryAuthStateStore()
    ) throws {
        browser = nil
        access = try ResourceAccess(resource, clients: clients, login: login, store: store)
    }

    init(
        _ resource: String, clients: [ResourceClient] = [.registering(metadata)],
        _ decision: LoginBrowser.Decision = .accept, store: any AuthStateStore = InMemoryAuthStateStore(),
        _ change: (inout ResourceAccess.Options) -> Void = { _ in }
    ) throws {
        var options = ResourceAccess.Options()
        change(&options)
        let browser = try LoginBrowser()
        self.browser = browser
        access = try ResourceAccess(
            resource, clients: clients, login: .presenting(browser.userAgent(decision)), store: store, options: options)
    }

    /// Calls a tool of the resource, and returns the text of its answer.
    func call(_ tool: String, _ arguments: [String: JSONValue] = [:]) async throws -> String {
        let request = try ToolCall(name: tool, arguments: arguments).request(to: access.resource.rawValue)
        return try ToolCall.text(try await access.performAction(request, operation: tool))
    }

    func add(_ a: Int, _ b: Int) async throws -> String {
        try await call("add", ["a": .number(JSONNumber(Int64(a))), "b": .number(JSONNumber(Int64(b)))])
    }

    var record: AuthState.Record? { get async throws { try await access.authState()?.record } }
}

extension [ResourceServer.Seen] {
    func count(of path: String) -> Int { count { $0.path == path } }

    /// The values of a parameter in the requests to a path, in order.
    func values(_ name: String, at path: String) -> [[String]] {
        filter { $0.path == path }.map { request in
            let text = request.method == "GET" ? request.query : request.body
            let items = URLComponents(string: "?" + text.replacingOccurrences(of: "+", with: "%20"))?.queryItems ?? []
            return items.filter { $0.name == name }.compactMap(\.value)
        }
    }
}

extension ProviderTests {
    /// Logins that begin at the URL of an API, at the resource server of the Model Context Protocol's own SDK for Python.
    struct ResourceAccessTests {
        private func code(_ body: () async throws -> Void) async -> AuthStateError.Code? {
            let error = await #expect(throws: AuthStateError.self) { try await body() }
            return error?.code
        }

        @Test("a URL leads to a registration, a login and an answer; the next process continues, and renews")
        func life() async throws {
            try await ResourceServer.run(.mcp, ["ACCESS_TOKEN_SECONDS": "2"]) { server in
                let store = InMemoryAuthStateStore()
                let first = try ResourceProgram(server.resource, store: store)
                #expect(try await first.add(1, 2) == "3")
                let token = try await first.record?.accessToken
                #expect(token?.hasPrefix("first-access-") == true)
                #expect(try await first.record?.client.provider.issuer?.rawValue == server.issuer)

                // Without a browser: only the stored login helps.
                let second = try ResourceAccess(
                    server.resource, clients: [.registering(ResourceProgram.metadata)], store: store)
                try await Task.sleep(for: .seconds(2))
                let request = try ToolCall(name: "whoami").request(to: server.resource)
                #expect(try ToolCall.text(try await second.performAction(request)).contains("alice"))
                #expect(try await second.authState()?.record.accessToken != token)

                let seen = try await server.requests(at: .first)
                #expect(seen.count(of: "/register") == 1 && seen.count(of: "/authorize") >= 1)
                #expect(seen.values("resource", at: "/token") == [[server.resource], [server.resource]])
                #expect(seen.values("resource", at: "/authorize").allSatisfy { $0 == [server.resource] })
                #expect(seen.values("code_challenge_method", at: "/authorize").allSatisfy { $0 == ["S256"] })
                let registered = try #require(seen.first { $0.path == "/register" }).body
                #expect(registered.contains(#""application_type":"native""#) && registered.contains("refresh_token"))
                #expect(registered.contains(#""scope":"mcp""#))
            }
        }

        @Test("a hundred requests that meet a 401 at once open one page")
        func singleFlight() async throws {
            try await ResourceServer.run(.mcp) { server in
                let program = try ResourceProgram(server.resource)
                let answers = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<100 { group.addTask { try await program.add(number, 1) } }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(answers.count == 100)
                let seen = try await server.requests(at: .first)
                #expect(
                    seen.count(of: "/register") == 1
                        && seen.count { $0.body.contains("authorization_code") && $0.path == "/token" } == 1)
            }
        }

        @Test("a 403 that names a scope leads to one more login, for the union of the scopes")
        func stepUp() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                let program = try ResourceProgram(server.resource)
                #expect(try await program.add(1, 1) == "2")
                _ = try await program.call("write_note", ["text": "hello"])
                #expect(try await program.record?.scope == "mcp notes:write")
                let scopes = try await server.requests(at: .first).values("scope", at: "/authorize")
                #expect(scopes.first == ["mcp"] && scopes.last == ["mcp notes:write"])
            }
        }

        @Test("a 403 that asks for nothing new, and more rights that are not granted, end in an error, not in a loop")
        func stepUpInVain() async throws {
            // The SDK's own challenges name no scope.
            try await ResourceServer.run(.mcp) { server in
                let program = try ResourceProgram(server.resource)
                #expect(await code { _ = try await program.call("write_note", ["text": "x"]) } == .insufficientScope)
                #expect(try await server.requests(at: .first).values("scope", at: "/token").count == 1)
            }
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                let program = try ResourceProgram(server.resource)
                try await server.tell(.first, "limit", "scope=mcp")
                for _ in 0..<3 {
                    #expect(
                        await code { _ = try await program.call("write_note", ["text": "x"]) } == .insufficientScope)
                }
                let logins = try await server.requests(at: .first).filter {
                    $0.path == "/token" && $0.body.contains("authorization_code")
                }
                #expect(
                    logins.count == 1,
                    "the scope is asked for once, with the first login, however often it is tried")
                #expect(try await program.add(1, 1) == "2")
            }
        }

        @Test("a revoked grant leads to a new login, with the client that is registered already")
        func revoked() async throws {
            try await ResourceServer.run(.mcp) { server in
                let program = try ResourceProgram(server.resource)
                #expect(try await program.add(1, 1) == "2")
                try await server.tell(.first, "revoke")
                #expect(try await program.add(1, 2) == "3")
                #expect(try await server.requests(at: .first).count(of: "/register") == 1)
            }
        }

        @Test("a server that has forgotten the client gets a new registration")
        func forgotten() async throws {
            try await ResourceServer.run(.mcp) { server in
                let program = try ResourceProgram(server.resource)
                #expect(try await program.add(1, 1) == "2")
                try await server.tell(.first, "revoke", "kind=access")
                try await server.tell(.first, "forget")
                #expect(try await program.add(1, 2) == "3")
                #expect(try await server.requests(at: .first).count(of: "/register") == 2)
            }
        }

        /// What belongs to one authorization server: its own names for the client, and what it issued.
        private struct Belongings {
            var accessToken: String
            /// All but the access token, which the resource gets as well.
            var others: [String]

            init(_ record: AuthState.Record) throws {
                accessToken = try #require(record.lastTokenResponse?.accessToken)
                let request = record.lastAuthorizationResponse?.request
                others = [
                    record.client.id, record.lastRegistrationResponse?.clientSecret,
                    record.lastRegistrationResponse?.registrationAccessToken, record.refreshToken,
                    record.lastAuthorizationResponse?.code, request?.state, request?.codeVerifier.rawValue,
                ].compactMap(\.self).filter { !$0.isEmpty }
            }
        }

        @Test(
            "a resource that names another issuer gets a login there and back; nothing of one reaches the other",
            arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost])
        func migration(_ method: ClientAuthenticationMethod) async throws {
            try await ResourceServer.run(.mcp, ["SECOND_ISSUER": "1"]) { server in
                var metadata = ResourceProgram.metadata
                metadata.tokenEndpointAuthMethod = method
                let program = try ResourceProgram(server.resource, clients: [.registering(metadata)]) {
                    // The SDK wants client_id in the form beside HTTP Basic.
                    $0.tolerances = [.clientIDBesideBasic]
                }
                func belongings() async throws -> Belongings {
                    // The renewed tokens count, and are used.
                    _ = try await program.access.authState()?.refresh()
                    #expect(try await program.add(1, 1) == "2")
                    let record = try #require(try await program.record)
                    #expect(record.lastRegistrationResponse?.clientSecret != nil)
                    return try Belongings(record)
                }
                #expect(try await program.add(1, 1) == "2")
                let old = try await program.record
                var first = [try await belongings()]
                try await server.tell(.resource, "issuer", "issuer=\(server.secondIssuer)")
                #expect(try await program.add(1, 2) == "3")
                let new = try await program.record
                #expect(new?.client.provider.issuer?.rawValue == server.secondIssuer)
                #expect(new?.client.id != old?.client.id)
                let second = [try await belongings()]

                // Back again: the first registration was kept.
                try await server.tell(.resource, "issuer", "issuer=\(server.issuer)")
                #expect(try await program.add(2, 2) == "4")
                #expect(try await program.record?.client.id == old?.client.id)
                #expect(try await server.requests(at: .first).count(of: "/register") == 1)
                first.append(try await belongings())

                for (party, foreign) in [(ResourceServer.Party.second, first), (.first, second)] {
                    // The resource asks about every token.
                    let seen = try await server.requests(at: party).filter { $0.path != "/introspect" }
                    #expect(seen.count(of: "/token") >= 2)
                    for secret in foreign.flatMap({ $0.others + [$0.accessToken] }) {
                        #expect(!seen.contains { $0.everything.contains(secret) })
                    }
                }
                let seen = try await server.requests(at: .resource)
                for belongings in first + second {
                    #expect(seen.contains { $0.everything.contains(belongings.accessToken) })
                    for secret in belongings.others { #expect(!seen.contains { $0.everything.contains(secret) }) }
                }
            }
        }

        @Test("a server that is started again with another issuer gets a registration and a login of its own")
        func restart() async throws {
            let store = InMemoryAuthStateStore()
            let (first, old) = try await ResourceServer.run(.mcp) { server in
                let program = try ResourceProgram(server.resource, store: store)
                #expect(try await program.add(1, 1) == "2")
                return (server, try Belongings(try #require(try await program.record)))
            }
            try await ResourceServer.run(.mcp, port: first.port) { server in
                #expect(server.resource == first.resource && server.issuer != first.issuer)
                let program = try ResourceProgram(server.resource, store: store)
                #expect(try await program.add(1, 2) == "3")
                #expect(try await program.record?.client.provider.issuer?.rawValue == server.issuer)
                let seen = try await server.requests(at: .first).filter { $0.path != "/introspect" }
                #expect(seen.count(of: "/register") == 1)
                for secret in old.others + [old.accessToken] {
                    #expect(!seen.contains { $0.everything.contains(secret) })
                }
            }
        }

        @Test(
            "what a server saw is searched in the encodings of HTTP Basic, forms and JWTs",
            arguments: [
                ResourceServer.Seen(headers: [["authorization", "Basic YXBwOnMzY3JldA=="]]),
                ResourceServer.Seen(headers: [["authorization", "Basic YXBwOnMlMzNjcmV0"]]),
                ResourceServer.Seen(body: "a=b&client_secret=s%33cret"),
                ResourceServer.Seen(query: "assertion=e30.eyJzdWIiOiJzM2NyZXQifQ.x"),
                ResourceServer.Seen(path: "/s3cret"),
            ])
        func search(_ seen: ResourceServer.Seen) {
            #expect(seen.everything.contains("s3cret"))
        }

        @Test("metadata of another resource are refused before the user sees a page; a parent has to be tolerated")
        func names() async throws {
            try await ResourceServer.run(.mcp) { server in
                let origin = server.resource.replacingOccurrences(of: "/mcp", with: "")
                for name in [origin, "https://evil.example/mcp", server.resource + "/more", server.resource + "?a=b"] {
                    try await server.tell(.resource, "name", "resource=\(name)")
                    let program = try ResourceProgram(server.resource)
                    #expect(await code { _ = try await program.add(1, 1) } == .resourceMismatch, "\(name)")
                }
                let seen = try await server.requests(at: .first)
                #expect(seen.count(of: "/authorize") == 0 && seen.count(of: "/register") == 0)
                try await server.tell(.resource, "name", "resource=\(origin)")
                let program = try ResourceProgram(server.resource) { $0.tolerances = [.parentResource] }
                #expect(try await program.add(1, 1) == "2")
                #expect(try await server.requests(at: .first).values("resource", at: "/token") == [[origin]])
            }
        }

        @Test(
            "the server's metadata are found in each of their places",
            arguments: [
                ["ISSUER_PATH": "/tenant"], ["METADATA": "openid"], ["ISSUER_PATH": "/tenant", "METADATA": "openid"],
                ["ISSUER_PATH": "/tenant", "METADATA": "appended"], ["ISSUER_SLASH": "1"], ["ISSUER_PARAMETER": "sent"],
                ["OFFLINE_ACCESS": "1"],
            ])
        func places(_ settings: [String: String]) async throws {
            try await ResourceServer.run(.mcp, settings) { server in
                let program = try ResourceProgram(server.resource)
                #expect(try await program.add(1, 1) == "2")
                let scope = try await server.requests(at: .first).filter { $0.path.hasSuffix("/authorize") }.first?
                    .query
                #expect(scope?.contains("offline_access") == (settings["OFFLINE_ACCESS"] != nil))
            }
        }

        @Test("an answer with a wrong or a missing iss spends no code", arguments: ["wrong", "missing"])
        func issuerParameter(_ behaviour: String) async throws {
            try await ResourceServer.run(.mcp, ["ISSUER_PARAMETER": behaviour]) { server in
                let program = try ResourceProgram(server.resource)
                #expect(await code { _ = try await program.add(1, 1) } == .issuerParameterMismatch)
                #expect(try await server.requests(at: .first).count(of: "/token") == 0)
            }
        }

        @Test(
            "a client given by hand comes first, and stays at its issuer",
            arguments: [
                ("public", ClientCredential.none), ("basic", .secret("s3cret", method: .clientSecretBasic)),
                ("post", .secret("s3cret", method: .clientSecretPost)),
            ])
        func known(_ id: String, _ credential: ClientCredential) async throws {
            try await ResourceServer.run(.mcp, ["REGISTRATION": "0", "SECOND_ISSUER": "1"]) { server in
                func program(_ issuer: String?, _ store: any AuthStateStore = InMemoryAuthStateStore()) throws
                    -> ResourceProgram
                {
                    try ResourceProgram(
                        server.resource,
                        clients: [
                            .known(id, credential: credential, issuer: issuer), .registering(ResourceProgram.metadata),
                        ],
                        store: store
                    ) {
                        $0.redirectURI = try? RedirectURI("http://127.0.0.1:\(RedirectPorts.next())/callback")
                        // The SDK wants client_id in the form beside HTTP Basic.
                        $0.tolerances = [.clientIDBesideBasic]
                    }
                }
                #expect(try await program(server.issuer).add(1, 1) == "2")
                let store = InMemoryAuthStateStore()
                #expect(try await program(nil, store).add(1, 1) == "2")
                try await server.tell(.resource, "issuer", "issuer=\(server.secondIssuer)")
                #expect(await code { _ = try await program(server.issuer).add(1, 1) } == .clientIssuerMismatch)
                #expect(await code { _ = try await program(nil, store).add(1, 1) } == .clientIssuerMismatch)
                #expect(try await server.requests(at: .second).allSatisfy { !$0.everything.contains("s3cret") })
                #expect(try await server.requests(at: .second).count(of: "/authorize") == 0)
            }
        }

        @Test("a user who refuses, and a program without one, get an error that says so")
        func noLogin() async throws {
            try await ResourceServer.run(.mcp) { server in
                let refused = try ResourceProgram(server.resource, .decline)
                #expect(await code { _ = try await refused.add(1, 1) } == .accessDenied)
                let alone = try ResourceAccess(
                    server.resource, clients: [.registering(ResourceProgram.metadata)], store: InMemoryAuthStateStore())
                let request = try ToolCall(name: "add").request(to: server.resource)
                let error = await #expect(throws: AuthStateError.self) { try await alone.performAction(request) }
                #expect(error?.code == .notLoggedIn && error?.challenge?.resourceMetadata != nil)
            }
        }

        @Test("a server logs its user in by two requests of the browser")
        func inTwoRequests() async throws {
            try await ResourceServer.run(.mcp) { server in
                let pool = try ResourceAccessPool(
                    server.resource, clients: [.registering(ResourceProgram.metadata)], store: InMemoryAuthStateStore())
                let access = await pool.access(for: "ada")
                let browser = try LoginBrowser()
                let redirectURI = try RedirectURI("http://127.0.0.1:8400/callback")
                let pending = try await access.beginLogin(redirectURI: redirectURI)
                let callback = try await browser.redirect(from: pending.url)
                let archive = try JSONEncoder().encode(pending)
                try await access.completeLogin(
                    try JSONDecoder().decode(PendingAuthorization.self, from: archive),
                    callback: AuthorizationCallback(url: callback))
                let length = try await pool.access(for: "ada").withFreshToken { $0.accessToken.count }
                #expect(length > 0)
                #expect(try await pool.access(for: "bob").authState() == nil)
            }
        }

        @Test("an HTTP client of one's own gets its tokens from a function, also after a refusal")
        func accessToken() async throws {
            try await ResourceServer.run(.mcp) { server in
                let program = try ResourceProgram(server.resource)
                let first = try await program.access.accessToken()
                #expect(try await program.access.accessToken() == first)
                let second = try await program.access.accessToken(
                    after: TokenRejected(challenges: []), of: first)
                #expect(second != first)
                // A refusal that comes late finds the new token.
                #expect(
                    try await program.access.accessToken(after: TokenRejected(challenges: []), of: first) == second)
            }
        }
    }
}
