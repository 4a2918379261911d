import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

/// What a resource, its servers, a logout or a full disk may do to a login.
@Suite(.timeLimit(.minutes(5))) struct ResourceSafetyTests {
    private let world: ResourceWorld

    init() async throws { world = try await ResourceWorld() }

    /// A client with a secret, and the servers that the resource names.
    private func machine(
        _ world: ResourceWorld, store: (any AuthStateStore)? = nil, clients: [ResourceClient]? = nil
    ) throws -> ResourceAccess {
        try ResourceAccess(
            world.url.absoluteString, clients: clients ?? [.known("service", credential: .secret("service-secret"))],
            login: .clientCredentials, store: store ?? world.store, service: world.service)
    }

    /// A resource whose provider knows a client with a secret, and a stranger whom it names from now on.
    private func moved(_ world: ResourceWorld) async throws -> OpenIDProvider {
        let stranger = try await OpenIDProvider()
        world.provider.revokeGrants()
        world.provider.update { $0.protectedResource.authorizationServers = [stranger.issuer] }
        return stranger
    }

    @Test("a program's own client stays with the first server too, after its login and its process have ended")
    func boundMachine() async throws {
        let access = try machine(world)
        try await access.logIn()
        try await access.authState()?.clear()
        let stranger = try await moved(world)
        #expect(await authError { try await machine(world).logIn() }?.code == .clientIssuerMismatch)
        #expect(stranger.requestCount(.token) == 0)
    }

    @Test("a client with a secret stays with its first server in a store for one key, also after a logout")
    func oneKey() async throws {
        let scratch = try ScratchFolder()
        let store = FileAuthStateStore(file: scratch["state"], key: AuthStateKey("resource \(world.url)"))
        let access = try machine(world, store: store)
        try await access.logIn()
        let stranger = try await moved(world)
        #expect(await authError { try await machine(world, store: store).logIn() }?.code == .clientIssuerMismatch)
        try await access.authState()?.clear()
        #expect(await authError { try await machine(world, store: store).logIn() }?.code == .clientIssuerMismatch)
        #expect(stranger.requestCount(.token) == 0)
        // A client with an issuer of its own is asked for there.
        world.provider.update { $0.protectedResource.authorizationServers = nil }
        let named = ResourceClient.known(
            "service", credential: .secret("service-secret"), issuer: world.provider.issuer)
        try await machine(world, store: store, clients: [named]).logIn()
    }

    @Test(
        "a client that registered for another resource of the server is used again, unless the program wants another one"
    )
    func otherResource() async throws {
        let scratch = try ScratchFolder()
        let key: AuthStateKey = "login"
        let store = FileAuthStateStore(file: scratch["state"], key: key)
        func client(_ change: (inout ResourceAccess.Options) -> Void = { _ in }, logins: Int = 1) async throws
            -> String?
        {
            var options = ResourceAccess.Options()
            change(&options)
            let access = try ResourceAccess(
                world.url.absoluteString, clients: [.registering(ResourceWorld.metadata)],
                login: .presenting(DirectUserAgent()), store: store, key: key, service: world.service, options: options)
            for _ in 0..<logins { try await access.logIn() }
            return try await access.authState()?.record.client.id
        }
        let id = try await client()
        try await store.withLease(key, deadline: .seconds(5)) { lease in
            let stored = try #require(try await lease.load())
            var record = try AuthStateArchive(data: stored.archive).record
            record.annotations[ResourceAccess.annotation] = world.url.absoluteString + "/v1"
            _ = try await lease.save(AuthStateArchive(record).data(), expecting: stored.version)
        }
        #expect(try await client() == id && world.provider.requestCount(.registration) == 1)
        #expect(try await client({ $0.registersAnew = true }, logins: 2) != id)
        #expect(world.provider.requestCount(.registration) == 2)
    }

    @Test(
        "a client is used again whose registration has members without content, or an end of a secret that it has not",
        arguments: [
            ["grant_types": []], ["redirect_uris": []], ["client_secret_expires_at": -1],
            ["client_secret_expires_at": 1], ["grant_types": [], "redirect_uris": []],
        ] as [[String: JSONValue]])
    func untidyRegistration(_ changes: [String: JSONValue]) async throws {
        world.provider.update { $0.deviations.registration = { $0.merge(changes) { $1 } } }
        let access = try world.access()
        for _ in 0..<3 { try await access.logIn() }
        #expect(world.provider.requestCount(.registration) == 1)
        let registered = try await access.authState()?.record.lastRegistrationResponse?.metadata
        for name in ["redirect_uris", "grant_types"] { #expect(registered?[name]?.arrayValue?.isEmpty == false) }
    }

    @Test func `a server that refuses the parameter gets requests without a resource, by name alone`() async throws {
        let access = try world.access { $0.tolerances = [.unnamedResource] }
        try await access.logIn()
        let sent = world.provider.requests(at: .authorization) + world.provider.requests(at: .token)
        #expect(sent.count == 2 && sent.allSatisfy { $0.parameters["resource"] == nil })
        // Of logins in two requests, too; another program's is still refused.
        let page = try world.access(login: .elsewhere, key: "page") { $0.tolerances = [.unnamedResource] }
        try await world.logIn(page)
        let redirectURI = try RedirectURI("http://127.0.0.1:49153/callback")
        let pending = try await page.beginLogin(redirectURI: redirectURI)
        let session = try await DirectUserAgent().prepare(redirectURI: redirectURI, for: .login)
        let callback = try await session.present(pending.url)
        let strict = try world.access(login: .elsewhere, key: "strict")
        #expect(
            await authError { try await strict.completeLogin(pending, callback: callback) }?.code == .invalidArgument)
    }

    @Test func `where it cannot be read which server a client belongs to, it goes to none`() async throws {
        let key = AuthStateKey("resource \(world.url) by service")
        try await world.store.withLease(key, deadline: .seconds(5)) { lease in
            _ = try await lease.save(Data("not a state".utf8), expecting: nil)
        }
        #expect(await authError { try await machine(world).logIn() }?.kind == .store)
        #expect(world.provider.requestCount(.token) == 0)
    }

    @Test func `a logout while a page for more rights is shown is not undone`() async throws {
        let world = try await ResourceWorld { configuration in
            configuration.protectedResource.scopes = ["api"]
            configuration.protectedResource.scopesByMethod = ["POST": ["email"]]
        }
        _ = try await world.access().performAction(world.get())
        let agent = HeldUserAgent()
        let access = try world.access(login: .presenting(agent))
        let call = Task { await authError { try await access.performAction(world.post()) } }
        await agent.gate.arrivals()
        try await access.authState()?.clear()
        agent.gate.open()
        #expect(await call.value?.code == .notLoggedIn)
        #expect(try await world.access(login: .elsewhere).authState()?.isAuthorized != true)
        // The tokens of the page are given back.
        #expect(world.provider.requestCount(.revocation) > 0)
    }

    @Test func `the error of another login in a body leads to no login for the resource`() async throws {
        let access = try world.access()
        _ = try await access.performAction(world.get())
        let nested = AuthStateError(.notLoggedIn, stage: .authorization, "Another login is needed.")
        let error = await authError { try await access.withFreshToken { _ in throw nested } }
        #expect(error == nested && world.logins == 1)
    }

    @Test func `a state that could not be saved stays in memory beyond a pool's limit`() async throws {
        let clock = ManualClock()
        let world = try await ResourceWorld(clock: clock)
        let store = FaultyStore()
        let pool = try ResourceAccessPool(
            world.url.absoluteString, clients: [.registering(ResourceWorld.metadata)], store: store,
            service: world.service, limit: 1)
        try await world.logIn(await pool.access(for: "ada"))
        clock.advance(by: .seconds(7200))
        store.fail(.save)
        let renewed = try await pool.access(for: "ada").withFreshToken { $0.accessToken }
        for user in 0..<10 { _ = await pool.access(for: AuthStateKey("user \(user)")) }
        store.fail()
        #expect(try await pool.access(for: "ada").withFreshToken { $0.accessToken } == renewed)
        try await pool.access(for: "ada").authState()?.refresh()
    }

    @Test func `an operation that is always refused ends, however many others were refused before`() async throws {
        let refusals = Lock(0)
        let transport = ScriptedTransport(
            then: .dynamic { request in
                let json: TransportHeaders = ["Content-Type": "application/json"]
                let pages: [String: JSONValue] = [
                    "https://api.example/.well-known/oauth-protected-resource/v1": [
                        "resource": "https://api.example/v1", "authorization_servers": ["https://op.example"],
                    ],
                    ScriptedPages.oauth: ScriptedPages.document(["code_challenge_methods_supported": ["S256"]]),
                    "https://op.example/token": ["access_token": "a", "token_type": "Bearer", "scope": "read"],
                ]
                if let page = pages[request.url.absoluteString] {
                    return TransportResponse(status: 200, headers: json, body: Data(page.serialized()))
                }
                refusals.withLock { $0 += 1 }
                let line = #"Bearer error="insufficient_scope", scope="item\#(request.url.path)""#
                return TransportResponse(status: 403, headers: ["WWW-Authenticate": line])
            })
        let known = ResourceClient.known("app", credential: .secret("s"), issuer: "https://op.example")
        var options = ResourceAccess.Options()
        (options.scopes, options.maximumStepUps) = (["read"], 1)
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [known], login: .clientCredentials, store: InMemoryAuthStateStore(),
            service: AuthorizationService(transport: transport), options: options)
        try await access.logIn()
        refusals.withLock { $0 = 0 }
        for item in 0..<270 {
            let url = try #require(URL(string: "https://api.example/v1/\(item)"))
            #expect(
                await authError { try await access.performAction(TransportRequest(url: url)) }?.code
                    == .insufficientScope)
        }
        #expect(refusals.withLock { $0 } == 2 * 270)
    }

    @Test(
        "a server's user is sent to the login page once for a token that is always refused", arguments: [false, true])
    func noCircles(_ isAboutStrength: Bool) async throws {
        let access = try world.access(login: .elsewhere)
        try await world.logIn(access)
        #expect(try await access.performAction(world.get()).status == 200)
        let code = isAboutStrength ? "insufficient_user_authentication\", acr_values=\"gold" : "invalid_token"
        world.provider.rejectAccessTokens(times: 100, challenge: "Bearer error=\"\(code)\"")
        let first = await authError { try await access.performAction(world.get()) }
        #expect(first?.code == .notLoggedIn)
        try await world.logIn(access, because: first)
        let second = await authError { try await access.performAction(world.get()) }
        #expect(second?.code == (isAboutStrength ? .insufficientUserAuthentication : .tokenRejected))
        #expect(second?.message.contains("A new login has not changed that") == true)
        // What is allowed again begins anew.
        world.provider.rejectAccessTokens(times: 0)
        try await world.logIn(access)
        #expect(try await access.performAction(world.get()).status == 200)
        world.provider.rejectAccessTokens(times: 100)
        #expect(await authError { try await access.performAction(world.get()) }?.code == .notLoggedIn)
    }

    @Test func `a program that takes tokens away is told of each login that is needed`() async throws {
        let world = try await ResourceWorld {
            $0.deviations.tokenResponse = { members in members["refresh_token"] = nil }
        }
        let access = try world.access(login: .elsewhere)
        let rejection = TokenRejected(challenges: [#"Bearer error="invalid_token""#], url: world.url)
        try await world.logIn(access)
        for _ in 0..<3 {
            let token = try await access.accessToken()
            let error = await authError { try await access.accessToken(after: rejection, of: token) }
            #expect(error?.code == .notLoggedIn)
            try await world.logIn(access, because: error)
        }
    }

    @Test func `a login that begins leaves nothing under the key of a user who does not end it`() async throws {
        let pool = try ResourceAccessPool(
            world.url.absoluteString, clients: [.registering(ResourceWorld.metadata)], store: world.store,
            service: world.service)
        let redirectURI = try RedirectURI("https://app.example/callback")
        _ = try await pool.access(for: "visitor").beginLogin(redirectURI: redirectURI)
        let key = AuthStateKey("resource \(world.url) of visitor")
        #expect(try await world.store.load(key) == nil)
        // The registration itself is kept, for the next visitor.
        _ = try await pool.access(for: "other").beginLogin(redirectURI: redirectURI)
        #expect(world.provider.requestCount(.registration) == 1)
    }

    @Test func `all scopes of a long challenge are asked for`() {
        let scopes = (0..<60).map { "https://api.example/auth/scope-\($0)" }.joined(separator: " ")
        let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["scope": scopes])
        let error = AuthStateError(.insufficientScope, challenge: challenge, status: 403)
        #expect(scopes.count > 1024 && error.challenge?.scopes.count == 60)
    }
}
