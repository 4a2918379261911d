import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource
@testable import AuthStateServer

@Suite(.timeLimit(.minutes(5))) struct ResourceServersTests {
    private let pair: Pair

    init() async throws { pair = try await Pair() }

    /// A resource that its own provider serves, and a second provider whose tokens it can be told to take.
    private struct Pair {
        let world: ResourceWorld
        let second: OpenIDProvider

        init() async throws {
            world = try await ResourceWorld()
            second = try await OpenIDProvider()
        }

        /// Makes the resource name the second provider, and take its tokens alone.
        func migrate() {
            let foreign = second
            world.provider.revokeGrants()
            world.provider.update {
                $0.protectedResource.authorizationServers = [foreign.issuer]
                $0.protectedResource.acceptsForeignToken = { foreign.hasIssued(accessToken: $0) }
            }
        }
    }

    /// Everything secret that a login at one server brought.
    private func secrets(_ record: AuthState.Record) -> [String] {
        let request = record.lastAuthorizationResponse?.request
        return [
            record.client.id, record.lastRegistrationResponse?.clientSecret,
            record.lastRegistrationResponse?.registrationAccessToken, record.lastTokenResponse?.accessToken,
            record.refreshToken, record.lastAuthorizationResponse?.code, request?.state, request?.codeVerifier.rawValue,
        ].compactMap(\.self)
    }

    @Test("a resource that names another server gets a login there; nothing of one reaches the other")
    func migration() async throws {
        let access = try pair.world.access()
        _ = try await access.performAction(pair.world.get())
        let old = try #require(try await access.authState()?.record)
        pair.migrate()
        let count = pair.world.wire.requests.count
        #expect(try await access.performAction(pair.world.get()).status == 200)
        let new = try #require(try await access.authState()?.record)
        #expect(new.client.provider.issuer?.rawValue == pair.second.issuer && secrets(old).count > 5)

        func text(_ request: TransportRequest) -> String {
            "\(request.url.absoluteString)\n\(request.headers)\n\(String(decoding: request.body ?? Data(), as: UTF8.self))"
                + request.headers.map { "\n\($0.name): \($0.value)" }.joined()
        }
        let (first, second) = (UInt16(pair.world.provider.port), UInt16(pair.second.port))
        for request in pair.world.wire.requests.dropFirst(count) where request.url.port == Int(second) {
            for secret in secrets(old) { #expect(!text(request).contains(secret)) }
        }
        for request in pair.world.wire.requests where request.url.port == Int(first) && request.url.path != "/api/hello"
        {
            for secret in secrets(new) { #expect(!text(request).contains(secret)) }
        }
    }

    @Test func `a server that is gone is left for the one that the resource names by now`() async throws {
        let access = try pair.world.access()
        _ = try await access.performAction(pair.world.get())
        pair.migrate()
        pair.world.provider.inject(.status(503), at: .token, times: 20)
        pair.world.provider.inject(.status(503), at: .metadata, times: 20)
        let statuses = try await together(10) { _ in try await access.performAction(pair.world.get()).status }
        #expect(statuses.allSatisfy { $0 == 200 } && pair.second.requestCount(.authorization) == 1)
        #expect(try await access.authState()?.record.client.provider.issuer?.rawValue == pair.second.issuer)
    }

    @Test func `a named server without metadata is told from a resource without metadata`() async throws {
        let issuer = "\(pair.second.issuer)/none"
        pair.world.provider.update { $0.protectedResource.authorizationServers = [issuer] }
        let error = await authError { try await pair.world.access().performAction(pair.world.get()) }
        #expect(error?.code == .discoveryFailed && error?.expected?.contains(issuer) == true)
        #expect(error?.hint?.hasPrefix("Ask the operator of the resource") == true)
    }

    @Test(
        "a server that the resource still names keeps its login while it does not answer; so does one of an unknown resource",
        arguments: [false, true])
    func down(_ isResourceSilent: Bool) async throws {
        let access = try pair.world.access()
        _ = try await access.performAction(pair.world.get())
        let login = try await access.authState()?.record
        pair.world.provider.revokeGrants()
        pair.world.provider.inject(.status(503), at: .token, times: 20)
        if isResourceSilent {
            pair.migrate()
            pair.world.provider.inject(.status(503), at: .resourceMetadata, times: 20)
            pair.world.provider.inject(.status(503), at: .rootResourceMetadata, times: 20)
            pair.world.provider.inject(.status(503), at: .namedResourceMetadata, times: 20)
        }
        let error = await authError { try await access.performAction(pair.world.get()) }
        #expect(error?.stage == .refresh && error?.kind == .transient)
        #expect(pair.world.logins == 1 && pair.second.requestCount(.authorization) == 0)
        let now = try await access.authState()?.record
        #expect(now?.grantID == login?.grantID && now?.refreshToken == login?.refreshToken && now?.isAuthorized == true)
    }

    @Test(
        "a refusal with another iss, or without the promised one, is neither believed nor shown",
        arguments: [nil, "https://evil.example"])
    func refusals(_ issuer: String?) async throws {
        let world = try await ResourceWorld { configuration in
            configuration.login = .denied
            configuration.deviations.authorizationResponse = { parameters in
                parameters["iss"] = issuer
                parameters["error_description"] = "Call +1 555 0100"
            }
        }
        let error = await authError { try await world.access().performAction(world.get()) }
        #expect(error?.code == .issuerParameterMismatch && "\(String(describing: error))".contains("555") == false)
    }

    @Test func `a login at another server that the user gives up leaves the login before as it was`() async throws {
        _ = try await pair.world.access().performAction(pair.world.get())
        let stored = try await pair.world.store.login(AuthStateKey("resource \(pair.world.url)"))
        let second = pair.second.issuer
        pair.world.provider.update { $0.protectedResource.authorizationServers = [second] }
        let refused = try pair.world.access(login: .presenting(DirectUserAgent(.denying)))
        #expect(await authError { try await refused.logIn() }?.code == .accessDenied)
        #expect(pair.second.requestCount(.registration) == 1 && stored != nil)
        #expect(try await pair.world.store.login(AuthStateKey("resource \(pair.world.url)")) == stored)
        // The registration there is used by the next attempt, also for a server's login in two requests.
        let access = try pair.world.access(login: .elsewhere)
        let redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let archive = try JSONEncoder().encode(try await access.beginLogin(redirectURI: redirectURI))
        let pending = try JSONDecoder().decode(PendingAuthorization.self, from: archive)
        let session = try await DirectUserAgent().prepare(redirectURI: redirectURI, for: .login)
        try await access.completeLogin(pending, callback: try await session.present(pending.url))
        #expect(pair.second.requestCount(.registration) == 1)
        let record = try await pair.world.store.login(AuthStateKey("resource \(pair.world.url)"))
        #expect(record?.client.provider.issuer?.rawValue == second && record?.lastRegistrationResponse != nil)
        _ = try await access.authState()?.refresh()
    }

    @Test("the client of a server that is named again is not registered a second time")
    func backAgain() async throws {
        let access = try pair.world.access()
        _ = try await access.performAction(pair.world.get())
        let id = try await access.authState()?.record.client.id
        pair.migrate()
        _ = try await access.performAction(pair.world.get())
        pair.second.revokeGrants()
        pair.world.provider.update { $0.protectedResource.authorizationServers = nil }
        _ = try await access.performAction(pair.world.get())
        #expect(try await access.authState()?.record.client.id == id)
        #expect(pair.world.provider.requestCount(.registration) == 1)
    }

    @Test("of several servers the stored login's is kept, else a client's, else the program chooses, else the first")
    func choice() async throws {
        let both = [pair.world.provider.issuer, pair.second.issuer]
        pair.world.provider.update { $0.protectedResource.authorizationServers = both }
        let second = pair.second.issuer
        func issuer(_ access: ResourceAccess) async throws -> String? {
            try await access.logIn()
            return try await access.authState()?.record.client.provider.issuer?.rawValue
        }
        #expect(try await issuer(try pair.world.access(key: "first")) == both[0])
        #expect(
            try await issuer(try pair.world.access(clients: [.known("app", issuer: second)], key: "known")) == second)
        let choosing = try pair.world.access(key: "chosen") { $0.chooseServer = { $0.last } }
        #expect(try await issuer(choosing) == second)
        let stranger = try pair.world.access(key: "stranger") {
            $0.chooseServer = { _ in try? Issuer("https://evil.example") }
        }
        #expect(await authError { try await stranger.logIn() }?.code == .invalidArgument)
        pair.world.provider.update { $0.protectedResource.authorizationServers = both.reversed() }
        #expect(try await issuer(try pair.world.access(key: "first")) == both[0])
    }

    @Test("metadata of another issuer are not used, and an issuer with a path is looked for at its own places alone")
    func issuers() async throws {
        let asked = Lock<[String]>([])
        let transport = ScriptedTransport(
            then: .dynamic { request in
                asked.withLock { $0.append(request.url.absoluteString) }
                guard request.url.path.hasSuffix("/tenant/.well-known/openid-configuration") else {
                    return TransportResponse(status: 404)
                }
                let document = ScriptedPages.document([
                    "issuer": "https://evil.example", "code_challenge_methods_supported": ["S256"],
                ])
                return TransportResponse(
                    status: 200, headers: ["Content-Type": "application/json"], body: Data(document.serialized()))
            })
        let service = AuthorizationService(transport: transport)
        let error = await authError {
            try await service.discoverAuthorizationServer(
                Issuer("https://op.example/tenant"), of: ResourceIdentifier("https://api.example"))
        }
        #expect(error?.code == .issuerMismatch)
        #expect(
            asked.withLock { $0 } == [
                "https://op.example/.well-known/oauth-authorization-server/tenant",
                "https://op.example/.well-known/openid-configuration/tenant",
                "https://op.example/tenant/.well-known/openid-configuration",
            ])
    }

    @Test("a client with a document is the same at every server")
    func document() async throws {
        let url = "https://app.example/client.json"
        var metadata = ClientMetadata(redirectURIs: [try RedirectURI("http://127.0.0.1/callback")])
        metadata.clientName = "Tests"
        let document = try ClientMetadataDocument(url: url, metadata).json
        for provider in [pair.world.provider, pair.second] { provider.update { $0.clientDocuments = [url: document] } }
        let access = try pair.world.access(clients: [.document(url)])
        _ = try await access.performAction(pair.world.get())
        pair.migrate()
        _ = try await access.performAction(pair.world.get())
        #expect(pair.second.requests(at: .authorization).last?.parameters["client_id"] == url)
    }

    @Test("a known client without an issuer stays with the first server")
    func bound() async throws {
        let access = try pair.world.access(clients: [.known("app")])
        _ = try await access.performAction(pair.world.get())
        pair.migrate()
        let error = await authError { try await access.performAction(pair.world.get()) }
        #expect(error?.code == .clientIssuerMismatch && error?.received == pair.second.issuer)
        #expect(pair.second.requestCount(.authorization) == 0)
        // Also after its login is gone, and in the next process.
        try await access.authState()?.clear()
        let next = try pair.world.access(clients: [.known("app")])
        #expect(await authError { try await next.logIn() }?.code == .clientIssuerMismatch)
        #expect(pair.second.requestCount(.authorization) == 0)
    }

    @Test("a sweep leaves where a known client belongs, and a registration, and takes the login")
    func swept() async throws {
        for (key, client) in [("known", ResourceClient.known("app")), ("own", .registering(ResourceWorld.metadata))] {
            _ = try await pair.world.access(clients: [client], key: AuthStateKey(key)).performAction(pair.world.get())
        }
        let pool = AuthStatePool(store: pair.world.store, service: pair.world.service)
        let outcome = try await pool.sweep(olderThan: .seconds(-10))
        #expect(outcome.deleted == 2 && outcome.kept == 2 && outcome.failures == 0)
        let registering = try pair.world.access(key: "own")
        _ = try await registering.performAction(pair.world.get())
        #expect(pair.world.provider.requestCount(.registration) == 1 && pair.world.logins == 3)
        pair.migrate()
        let next = try pair.world.access(clients: [.known("app")], key: "known")
        #expect(await authError { try await next.logIn() }?.code == .clientIssuerMismatch)
    }

    @Test func `http is for resources on this machine`() throws {
        func make(_ text: String) throws { _ = try ResourceAccess(text, clients: [], store: InMemoryAuthStateStore()) }
        #expect(throws: AuthStateError.self) { try make("http://api.example/v1") }
        try make("http://127.0.0.1:1/v1")
        try make("http://localhost/v1")
    }

    @Test("a public resource cannot lead the program to an address of the internal network, or to plain http")
    func addresses() async throws {
        let resource = try ResourceIdentifier("https://api.example/v1")
        func code(_ challenge: String?, _ server: String = "https://op.example") async throws -> AuthStateError.Code? {
            let transport = ScriptedTransport(
                then: .dynamic { request in
                    let body = #"{"resource":"https://api.example/v1","authorization_servers":["\#(server)"]}"#
                    return TransportResponse(
                        status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
                })
            let service = AuthorizationService(transport: transport)
            let parameters = challenge.map { ["resource_metadata": $0] } ?? [:]
            return await authError {
                let found = try await service.describe(
                    resource, challenge: AuthenticationChallenge(scheme: "Bearer", parameters: parameters))
                _ = try await service.discoverAuthorizationServer(
                    try #require(found.metadata.authorizationServers.first), of: resource)
            }?.code
        }
        for host in ["10.0.0.1", "127.0.0.1", "169.254.169.254", "[::1]", "localhost"] {
            #expect(try await code("https://\(host)/m") == .addressNotAllowed)
            #expect(try await code(nil, "https://\(host)") == .addressNotAllowed)
        }
        #expect(try await code("http://api.example/m") == .insecureURL)
        #expect(try await code(nil, "http://op.example") == .insecureURL)
        let plain = AuthorizationService(transport: ScriptedTransport(then: .json("{}")))
        #expect(
            await authError { try await plain.describe(try ResourceIdentifier("http://api.example")) }?.code
                == .insecureURL)
    }
}
