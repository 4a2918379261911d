import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

@Suite(.timeLimit(.minutes(5)))
struct StepUpTests {
    private func world(_ change: @escaping (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws
        -> ResourceWorld
    {
        try await ResourceWorld { configuration in
            configuration.protectedResource.scopes = ["api"]
            configuration.protectedResource.scopesByMethod = ["POST": ["email"], "PUT": ["profile"]]
            change(&configuration)
        }
    }

    private func scopes(_ world: ResourceWorld) -> [Set<String>] {
        world.asked.map {
            Set(($0["scope"] ?? "").split(separator: " ").map(String.init)).subtracting(["offline_access"])
        }
    }

    @Test("the first login asks for the challenge's scopes, the next for the union, one page at a time")
    func union() async throws {
        let world = try await world()
        let access = try world.access()
        _ = try await access.performAction(world.get())
        #expect(try await access.performAction(world.post()).status == 200)
        #expect(scopes(world) == [["api"], ["api", "email"]])
        #expect(try await access.performAction(TransportRequest(method: .put, url: world.url)).status == 200)
        #expect(scopes(world).last == ["api", "email", "profile"])
        #expect(world.provider.requestCount(.registration) == 1)
    }

    @Test("a challenge whose URL lacks its quotation marks leads to the first login, and to one for more rights")
    func unquoted() async throws {
        let world = try await world { $0.protectedResource.metadataPlaces = [.challenge] }
        let place = world.provider.url(of: .namedResourceMetadata).absoluteString
        world.wire.challengeEdit.withLock { edit in edit = { $0.replacing("\"\(place)\"", with: place) } }
        let access = try world.access()
        _ = try await access.performAction(world.get())
        #expect(try await access.performAction(world.post()).status == 200)
        #expect(scopes(world) == [["api"], ["api", "email"]])
    }

    /// Renames the resource's scope `read`, and ends all grants.
    private func rename(_ world: ResourceWorld) {
        world.provider.update {
            $0.scopes = ["offline_access", "mcp:read"]
            $0.protectedResource.scopes = ["mcp:read"]
            $0.protectedResource.scopesSupported = ["mcp:read"]
        }
        world.provider.revokeGrants()
    }

    private func renaming(namesScopes: Bool = true) async throws -> ResourceWorld {
        try await world {
            $0.scopes.insert("read")
            $0.protectedResource.scopes = ["read"]
            $0.protectedResource.scopesSupported = ["read"]
            $0.protectedResource.namesScopes = namesScopes
        }
    }

    @Test(
        "a scope that the server has retired is asked for once, whether a challenge names another or not",
        arguments: [true, false])
    func retired(_ namesScopes: Bool) async throws {
        let world = try await renaming(namesScopes: namesScopes)
        let access = try world.access()
        _ = try await access.performAction(world.get())
        rename(world)
        #expect(try await access.performAction(world.get()).status == 200)
        let refused: Set<String> = namesScopes ? ["read", "mcp:read"] : ["read"]
        #expect(scopes(world) == [["read"], refused, ["mcp:read"]])
        rename(world)
        #expect(try await access.performAction(world.get()).status == 200 && world.logins == 4)
    }

    @Test("a login in two requests leaves out the scope that the one before it was refused for")
    func retiredInTwoRequests() async throws {
        let world = try await renaming()
        let access = try world.access(login: .elsewhere)
        try await world.logIn(access)
        rename(world)
        let ended = await authError { try await access.performAction(world.get()) }
        #expect(await authError { try await world.logIn(access, because: ended) }?.code == .invalidScope)
        try await world.logIn(access, because: ended)
        #expect(scopes(world).last == ["mcp:read"])
    }

    @Test("scopes that the program chose are refused once: no second page is shown")
    func refusedChoice() async throws {
        let world = try await renaming()
        let access = try world.access { $0.scopes = ["read"] }
        _ = try await access.performAction(world.get())
        rename(world)
        #expect(await authError { try await access.performAction(world.get()) }?.code == .invalidScope)
        #expect(world.logins == 2)
    }

    @Test("requests that lack the same right at once share one login")
    func shared() async throws {
        let world = try await world()
        let access = try world.access()
        _ = try await access.performAction(world.get())
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await access.performAction(world.post()).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0 == 200 } && world.logins == 2)
    }

    @Test("a challenge without scopes asks for those that the metadata list")
    func listed() async throws {
        let world = try await world {
            $0.protectedResource.namesScopes = false
            $0.protectedResource.scopesSupported = ["api", "email"]
        }
        let access = try world.access { $0.scopes = ["api"] }
        _ = try await access.performAction(world.get())
        #expect(try await access.performAction(world.post()).status == 200)
        #expect(scopes(world) == [["api"], ["api", "email"]])
    }

    @Test("scopes that no login brings for a resource are not missing: they open no page")
    func neverGranted() async throws {
        let world = try await world {
            $0.protectedResource.namesScopes = false
            $0.protectedResource.scopesSupported = ["api", "offline_access", "not a scope"]
        }
        let access = try world.access { $0.scopes = ["api"] }
        _ = try await access.performAction(world.get())
        let error = await authError { try await access.performAction(world.post()) }
        #expect(error?.code == .insufficientScope && world.logins == 1)
    }

    @Test("a resource that takes POST alone is asked for its challenge by POST")
    func onlyPost() async throws {
        let world = try await world { $0.protectedResource.scopesSupported = ["api", "email", "profile"] }
        world.wire.takesOnlyPost.withLock { [url = world.url] in $0 = url }
        let access = try world.access()
        try await access.logIn()
        #expect(scopes(world) == [["api", "email"]])
        let probe = try #require(world.wire.requests.first { $0.method == .post && $0.url == world.url })
        let message = try JSONValue(parsing: [UInt8](try #require(probe.body)))
        #expect(message["method"] == "initialize" && probe.headers["Authorization"] == nil)
        #expect(try await access.performAction(world.post()).status == 200 && world.logins == 1)
    }

    @Test("more scopes than an address can have are refused before a page opens")
    func tooMany() async throws {
        let world = try await world {
            $0.protectedResource.namesScopes = false
            $0.protectedResource.scopesSupported = (0..<5000).map { "scope-\($0)" }
        }
        let error = await authError { try await world.access().performAction(world.get()) }
        #expect(error?.code == .invalidMetadata && error?.received?.contains("5001 scopes") == true, "\(error as Any)")
        #expect(error?.hint != nil && world.logins == 0)
    }

    @Test("tokens without an ID token are a login where the resource, and not the program, asked for openid")
    func noIdentity() async throws {
        let world = try await world {
            $0.protectedResource.namesScopes = false
            $0.protectedResource.scopesSupported = ["openid", "api"]
            $0.deviations.tokenResponse = { $0.removeValue(forKey: "id_token") }
        }
        let access = try world.access()
        #expect(try await access.performAction(world.get()).status == 200)
        #expect(try await access.authState()?.record.idToken == nil && scopes(world) == [["openid", "api"]])
        let asked = try world.access(key: AuthStateKey("another")) { $0.scopes = ["openid", "api"] }
        let error = await authError { try await asked.performAction(world.get()) }
        #expect(error?.code == .invalidIDToken && error?.hint?.contains("openid") == true)
    }

    @Test("a challenge that names nothing new opens no page")
    func nothingNew() async throws {
        let world = try await world { $0.protectedResource.namesScopes = false }
        let access = try world.access { $0.scopes = ["api"] }
        _ = try await access.performAction(world.get())
        let error = await authError { try await access.performAction(world.post()) }
        #expect(error?.code == .insufficientScope && error?.message.contains("nothing that was not granted") == true)
        #expect(world.logins == 1)
    }

    @Test("rights that are never granted are asked for once, however often the operation is tried")
    func bound() async throws {
        let world = try await world { $0.consentedScopes = ["api"] }
        let access = try world.access()
        _ = try await access.performAction(world.get())
        for _ in 0..<3 {
            let error = await authError { try await access.performAction(world.post()) }
            #expect(error?.code == .insufficientScope && error?.message.contains("was not granted it") == true)
        }
        #expect(world.logins == 2)
        // A program that starts again reads from the store what the login asked for.
        let again = try world.access()
        #expect(await authError { try await again.performAction(world.post()) }?.expected == "email")
        #expect(world.logins == 2)
        // Each operation has its own bound, and one that was allowed begins anew.
        _ = await authError { try await access.performAction(TransportRequest(method: .put, url: world.url)) }
        #expect(world.logins == 3)
        world.provider.update { $0.consentedScopes = nil }
        try await access.logIn()
        #expect(try await access.performAction(world.post()).status == 200)
        world.provider.update { $0.consentedScopes = ["api"] }
        try await access.logIn()
        #expect(await authError { try await access.performAction(world.post()) }?.code == .insufficientScope)
        #expect(world.logins == 7)
    }

    @Test("a right that was granted, and that a renewal no longer brings, is asked for again")
    func withdrawn() async throws {
        let world = try await world()
        let access = try world.access()
        _ = try await access.performAction(world.get())
        #expect(try await access.performAction(world.post()).status == 200 && world.logins == 2)
        let state = try #require(try await access.authState())
        // A renewal whose answer names less.
        var tokens = try #require(state.record.lastTokenResponse)
        tokens.scope = "api"
        try await state.update(with: tokens)
        #expect(state.record.scope == "api")
        let challenge = #"Bearer error="insufficient_scope", scope="email""#
        try await access.withFreshToken(operation: "read") { _ in
            guard world.logins == 2 else { return }
            throw TokenRejected(challenges: [challenge], url: world.url)
        }
        #expect(world.logins == 3)
    }

    @Test("a 403 without a challenge is the caller's")
    func otherRefusal() async throws {
        let world = try await world()
        let access = try world.access()
        _ = try await access.performAction(world.get())
        world.provider.inject(.text("{}", status: 403), at: .resource)
        #expect(try await access.performAction(world.post()).status == 403)
        #expect(world.logins == 1)
    }

    @Test("no login for more rights where the options allow none")
    func disallowed() async throws {
        let world = try await world()
        let access = try world.access { $0.maximumStepUps = 0 }
        _ = try await access.performAction(world.get())
        #expect(await authError { try await access.performAction(world.post()) }?.code == .insufficientScope)
        #expect(world.logins == 1)
    }

    @Test("a body of one's own asks for more rights with the resource's challenge")
    func ownBody() async throws {
        let world = try await world()
        let access = try world.access()
        let request = world.post()
        let status = try await access.withFreshToken { tokens in
            var request = request
            for field in try tokens.authorizationHeaders(method: .post, url: request.url) {
                request.headers[field.name] = field.value
            }
            let answer = try await world.service.transport.send(request)
            if answer.status == 401 || answer.status == 403 { throw TokenRejected(answer, of: request.url) }
            return answer.status
        }
        #expect(status == 200 && scopes(world).last == ["api", "email"])
    }

    /// The resource's refusal of a token.
    private func refusal(_ world: ResourceWorld, _ request: TransportRequest, of token: String) async throws
        -> TokenRejected
    {
        var request = request
        request.headers["Authorization"] = "Bearer \(token)"
        let answer = try await world.service.transport.send(request)
        #expect(answer.status == 403)
        return TokenRejected(answer, of: request.url)
    }

    @Test("an HTTP client that takes tokens gets any number of rights, one after the other")
    func tokensInTurn() async throws {
        let world = try await world { $0.protectedResource.scopesByMethod["DELETE"] = ["address"] }
        let access = try world.access()
        var token = try await access.accessToken()
        for request in [
            world.post(), TransportRequest(method: .put, url: world.url),
            TransportRequest(method: .delete, url: world.url),
        ] {
            let rejection = try await refusal(world, request, of: token)
            token = try await access.accessToken(after: rejection, of: token)
        }
        #expect(scopes(world).last == ["api", "email", "profile", "address"] && world.logins == 4)
    }

    @Test("an HTTP client that takes tokens is asked once for a right that is never granted")
    func tokensInVain() async throws {
        let world = try await world { $0.consentedScopes = ["api"] }
        let access = try world.access()
        var token = try await access.accessToken()
        token = try await access.accessToken(after: try await refusal(world, world.post(), of: token), of: token)
        let rejection = try await refusal(world, world.post(), of: token)
        let last = token
        let error = await authError { try await access.accessToken(after: rejection, of: last) }
        #expect(error?.code == .insufficientScope && world.logins == 2)
    }

    @Test("a server's user gets more rights by a second login in two requests")
    func inTwoRequests() async throws {
        let world = try await world()
        let access = try world.access(login: .elsewhere)
        let first = await authError { try await access.performAction(world.get()) }
        #expect(first?.code == .notLoggedIn)
        try await world.logIn(access, because: first)
        #expect(try await access.performAction(world.get()).status == 200)
        let second = await authError { try await access.performAction(world.post()) }
        #expect(second?.code == .notLoggedIn && second?.challenge?.scopes.contains("email") == true)
        try await world.logIn(access, because: second)
        #expect(try await access.performAction(world.post()).status == 200)
        #expect(scopes(world).last == ["api", "email"])
    }
}
