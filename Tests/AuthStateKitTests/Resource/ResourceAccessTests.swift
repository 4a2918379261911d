import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

@Suite(.timeLimit(.minutes(5))) struct ResourceAccessTests {
    private let world: ResourceWorld

    init() async throws { world = try await ResourceWorld() }

    @Test(
        "metadata are found at each of their places", arguments: OpenIDProvider.ProtectedResource.MetadataPlace.allCases
    )
    func places(_ place: OpenIDProvider.ProtectedResource.MetadataPlace) async throws {
        let world = try await ResourceWorld { $0.protectedResource.metadataPlaces = [place] }
        #expect(try await world.access().performAction(world.get()).status == 200)
        let resource = place == .root ? String(world.provider.issuer) : world.url.absoluteString
        #expect(world.asked.map { $0.values("resource") } == [[resource]])
        #expect(world.provider.requests(at: .token).map { $0.parameters.values("resource") } == [[resource]])
        // No credentials go with a request for metadata.
        let places: [OpenIDProvider.Endpoint] = [
            .resourceMetadata, .rootResourceMetadata, .namedResourceMetadata, .metadata,
        ]
        for request in places.flatMap(world.provider.requests) { #expect(request.headers["Authorization"] == nil) }
    }

    @Test("a resource without metadata, and one that names no server, end in an error that says so")
    func lacks() async throws {
        let silent = try await ResourceWorld { $0.protectedResource.metadataPlaces = [] }
        let absent = await authError { try await silent.access().performAction(silent.get()) }
        #expect(
            absent?.code == .discoveryFailed && absent?.stage == .resourceMetadata
                && absent?.hint?.contains("issuer") == true)
        let alone = try await ResourceWorld { $0.protectedResource.authorizationServers = [] }
        #expect(await authError { try await alone.access().performAction(alone.get()) }?.code == .invalidMetadata)
        #expect(silent.logins + alone.logins == 0)
    }

    @Test(
        "metadata that do not come whole, or as JSON, or from their own place, lead to no login until they do",
        arguments: [
            OpenIDProvider.Fault.status(500), .redirect(to: "https://other.example/"),
            .text("<html></html>", contentType: "text/html"), .text(#"{"resource":"#), .halfBody,
            .resetBeforeProcessing,
        ])
    func brokenMetadata(_ fault: OpenIDProvider.Fault) async throws {
        for place in OpenIDProvider.ProtectedResource.MetadataPlace.allCases {
            let world = try await ResourceWorld { $0.protectedResource.metadataPlaces = [place] }
            for endpoint in [OpenIDProvider.Endpoint.namedResourceMetadata, .resourceMetadata, .rootResourceMetadata] {
                world.provider.injectFaults(at: endpoint) { _ in fault }
            }
            let access = try world.access()
            let error = await authError { try await access.performAction(world.get()) }
            #expect(
                error?.stage == .resourceMetadata && error?.hint != nil, "\(place): \(error?.description ?? "none")")
            #expect(world.logins == 0)
            for endpoint in [OpenIDProvider.Endpoint.namedResourceMetadata, .resourceMetadata, .rootResourceMetadata] {
                world.provider.injectFaults(at: endpoint) { _ in nil }
            }
            #expect(try await access.performAction(world.get()).status == 200)
            #expect(world.logins == 1)
        }
    }

    @Test func `an open resource answers without a login`() async throws {
        let access = try ResourceAccess(
            world.provider.url(of: .keySet).absoluteString, clients: [], store: InMemoryAuthStateStore(),
            service: world.service)
        #expect(try await access.performAction(TransportRequest(url: world.provider.url(of: .keySet))).status == 200)
        #expect(try await access.authState() == nil && world.wire.requests.count == 1)
    }

    @Test("after a refusal that names no metadata the resource is asked without a token", arguments: [false, true])
    func silentRefusal(_ isByUser: Bool) async throws {
        let world = try await ResourceWorld { $0.protectedResource.metadataPlaces = [.challenge] }
        let access = try world.access(policy: .renewOnceForRequest)
        _ = try await access.performAction(world.get())
        world.provider.rejectAccessTokens(times: 2, challenge: nil)
        if isByUser {
            try await world.access(policy: .renewOnceForRequest).logIn()
        } else {
            #expect(try await access.performAction(world.get()).status == 200)
        }
        #expect(world.logins == 2)
    }

    @Test(
        "a 401 that calls a request without a token invalid leads to a login; with a token it is the caller's",
        arguments: [false, true])
    func invalidRequest(_ isInvalid: Bool) async throws {
        let world = try await ResourceWorld { $0.protectedResource.metadataPlaces = [.challenge] }
        // The words of GitHub and Supabase.
        let challenge =
            #"Bearer error="invalid_request", error_description="No access token was provided in this request""#
        world.wire.challengeEdit.withLock { edit in
            edit = { $0.contains("error=") ? $0 : $0.replacing("Bearer realm", with: "\(challenge), realm") }
        }
        if isInvalid { world.provider.rejectAccessTokens(times: 100, challenge: challenge) }
        #expect(try await world.access().performAction(world.get()).status == (isInvalid ? 401 : 200))
        #expect(world.logins == 1 && world.provider.requestCount(.token) == 1)
    }

    @Test("the next process continues with the stored login; another resource's login is not used")
    func stored() async throws {
        _ = try await world.access(key: "one").performAction(world.get())
        #expect(try await world.access(login: .elsewhere, key: "one").performAction(world.get()).status == 200)
        #expect(world.logins == 1 && world.provider.requestCount(.registration) == 1)

        let other = try ResourceAccess(
            world.provider.url(of: .userInfo).absoluteString, clients: [.registering(ResourceWorld.metadata)],
            store: world.store, key: "one", service: world.service)
        #expect(try await other.authState() == nil)
    }

    @Test func `a login of another process is adopted; no second page is shown`() async throws {
        let (first, second) = (try world.access(), try world.access())
        #expect(try await second.authState() == nil)
        _ = try await first.performAction(world.get())
        #expect(try await second.performAction(world.get()).status == 200)
        #expect(world.logins == 1)
    }

    @Test("tokens, renewed ones too, are for the resource alone")
    func audience() async throws {
        let clock = ManualClock()
        let world = try await ResourceWorld(clock: clock) { $0.protectedResource.requiresAudience = true }
        let access = try world.access()
        #expect(try await access.performAction(world.get()).status == 200)
        clock.advance(by: .seconds(7200))
        #expect(try await access.performAction(world.get()).status == 200)
        let sent = world.provider.requests(at: .token).map { $0.parameters.values("resource") }
        #expect(sent == [[world.url.absoluteString], [world.url.absoluteString]] && world.logins == 1)
    }

    @Test(
        "a resource that demands DPoP gets bound tokens, also when only its challenge says so",
        arguments: [true, false])
    func dpop(_ isInMetadata: Bool) async throws {
        let world = try await ResourceWorld {
            $0.protectedResource.requiresDPoP = true
            if !isInMetadata {
                $0.protectedResource.metadata = { members in
                    members["dpop_bound_access_tokens_required"] = nil
                    members["dpop_signing_alg_values_supported"] = nil
                }
            }
        }
        let access = try world.access()
        #expect(try await access.performAction(world.get()).status == 200)
        #expect(try await access.authState()?.record.dpopKey != nil)
        #expect(world.provider.requests(at: .resource).last?.headers["Authorization"]?.hasPrefix("DPoP ") == true)
    }

    @Test("a server that issues no refresh token gets a login when the access token has expired")
    func noRefreshToken() async throws {
        let clock = ManualClock()
        let world = try await ResourceWorld(clock: clock) {
            $0.deviations.tokenResponse = { members in members["refresh_token"] = nil }
        }
        let access = try world.access()
        _ = try await access.performAction(world.get())
        #expect(try await access.authState()?.record.refreshToken == nil)
        clock.advance(by: .seconds(7200))
        #expect(try await access.performAction(world.get()).status == 200)
        #expect(world.logins == 2 && world.provider.requestCount(.token) == 2)
        #expect(world.provider.requestCount(.registration) == 1)
    }

    @Test(
        "with keys for signed metadata a login needs them signed, by the key of their issuer", arguments: [true, false])
    func signedMetadata(_ isTrusted: Bool) async throws {
        let (own, other) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
        let world = try await ResourceWorld {
            $0.protectedResource.metadata = { members in
                let claims = members.merging(["iss": "https://trust.example"]) { $1 }
                let token = try? JSONWebToken.sign(claims: .object(claims), with: isTrusted ? own : other)
                members["signed_metadata"] = token.map { .string($0) }
            }
        }
        let access = try world.access {
            $0.signedMetadataKeys = ["https://trust.example": JSONWebKeySet(keys: [own.publicKey])]
        }
        if isTrusted {
            #expect(try await access.performAction(world.get()).status == 200)
        } else {
            #expect(await authError { try await access.performAction(world.get()) }?.code == .invalidSignature)
        }
        #expect(world.logins == (isTrusted ? 1 : 0))
    }

    @Test func `a revoked grant leads to one new login, and the client stays registered`() async throws {
        let access = try world.access()
        _ = try await access.performAction(world.get())
        world.provider.revokeGrants()
        #expect(try await access.performAction(world.get()).status == 200)
        #expect(world.logins == 2 && world.provider.requestCount(.registration) == 1)
    }

    @Test("a resource that refuses every token gets one new login for each request, not one after the other")
    func refusedForGood() async throws {
        let access = try world.access()
        _ = try await access.performAction(world.get())
        world.provider.rejectAccessTokens(times: 100)
        #expect(await authError { try await access.performAction(world.get()) }?.code == .tokenRejected)
        #expect(world.logins == 2)
    }

    @Test("requests to another origin are refused before anything is sent")
    func origin() async throws {
        let access = try world.access()
        for text in [
            "https://evil.example/", "http://localhost:\(world.provider.port)/api/hello", "http://127.0.0.1/api/hello",
        ] {
            let request = TransportRequest(url: try #require(URL(string: text)))
            #expect(await authError { try await access.performAction(request) }?.code == .invalidArgument)
        }
        #expect(world.wire.requests.isEmpty)
        _ = try await access.performAction(world.get())
        let state = try #require(try await access.authState())
        let foreign = TransportRequest(
            url: try #require(URL(string: "http://localhost:\(world.provider.port)/api/hello")))
        await #expect(throws: AuthStateError.self) { try await state.performAction(foreign) }
    }

    @Test("an authorization server that does not list S256 is refused before a page opens")
    func promisedPKCE() async throws {
        for methods in [nil, ["plain"]] as [JSONValue?] {
            let world = try await ResourceWorld { configuration in
                configuration.deviations.metadata = { $0["code_challenge_methods_supported"] = methods }
            }
            #expect(await authError { try await world.access().performAction(world.get()) }?.code == .pkceUnsupported)
            #expect(world.logins == 0 && world.provider.requestCount(.registration) == 0)
        }
    }

    @Test("a user who closes the page ends every request that waited for it, and no other page opens")
    func sharedFailure() async throws {
        let agent = HeldUserAgent(.closes)
        let access = try world.access(login: .presenting(agent))
        let calls = (0..<20).map { _ in Task { await authError { try await access.performAction(world.get()) }?.kind } }
        await agent.gate.arrivals()
        agent.gate.open()
        for call in calls { #expect(await call.value == .cancelled) }
        #expect(agent.count == 1)
    }

    @Test("a request that is refused after another one's page was closed does not open a page again")
    func lateSharedFailure() async throws {
        _ = try await world.access().performAction(world.get())
        let agent = HeldUserAgent(.closes)
        agent.gate.open()
        let access = try world.access(login: .presenting(agent))
        let slow = ScriptedTransport.Gate()
        let late = Task {
            await authError {
                try await access.withFreshToken { _ in
                    try await slow.pass()
                    throw TokenRejected(challenges: [#"Bearer error="invalid_token""#], url: world.url)
                }
            }?.kind
        }
        await slow.arrivals()
        world.provider.revokeGrants()
        #expect(await authError { try await access.performAction(world.get()) }?.kind == .cancelled)
        slow.open()
        #expect(await late.value == .cancelled && agent.count == 1)
        // A request that begins now asks the user again.
        #expect(await authError { try await access.performAction(world.get()) }?.kind == .cancelled)
        #expect(agent.count == 2)
    }

    @Test(
        "a login keeps what the program notes with it now; after a refusal the next one begins with the challenge again"
    )
    func notes() async throws {
        let world = try await ResourceWorld {
            $0.protectedResource.scopes = ["api"]
            $0.protectedResource.scopesSupported = ["api", "email"]
        }
        let refused = try world.access(login: .presenting(DirectUserAgent(.denying)))
        #expect(await authError { try await refused.logIn() }?.code == .accessDenied)
        try await world.access { $0.annotations = ["note": "one"] }.logIn()
        #expect(world.asked.map { $0["scope"] } == ["api offline_access", "api offline_access"])
        let second = try world.access { $0.annotations = ["note": "two"] }
        try await second.logIn()
        #expect(try await second.authState()?.record.annotations["note"] == "two")
        #expect(try await world.access(login: .elsewhere).authState()?.record.annotations["note"] == "two")
        // What the program asks for itself is what the page shows.
        try await world.access { $0.scopes = ["email"] }.logIn()
        #expect(
            world.asked.last?["scope"]?.contains("email") == true
                && world.asked.last?["scope"]?.contains("api") == false)
        #expect(world.provider.requestCount(.registration) == 1)
    }

    @Test("two resources under one key do not get each other's tokens, and none replaces the other's login by itself")
    func oneKey() async throws {
        let first = try world.access(key: "one")
        _ = try await first.performAction(world.get())
        let stored = try await world.store.login("one")
        let other = TransportRequest(url: world.provider.url(of: .userInfo))
        let second = try ResourceAccess(
            other.url.absoluteString, clients: [.registering(ResourceWorld.metadata)],
            login: .presenting(DirectUserAgent()), store: world.store, key: "one", service: world.service)
        let error = await authError { try await second.performAction(other) }
        #expect(error?.code == .invalidArgument && error?.received == world.url.absoluteString)
        #expect(try await world.store.login("one") == stored && world.logins == 1)
        #expect(try await first.performAction(world.get()).status == 200)
    }

    @Test("the challenge of another origin leads to no login")
    func foreignChallenge() async throws {
        let access = try world.access()
        _ = try await access.performAction(world.get())
        let count = world.wire.requests.count
        let evil = try #require(URL(string: "https://evil.example/x"))
        for challenge in ["error=\"invalid_token\"", "error=\"insufficient_scope\", scope=\"email\""] {
            let line = "Bearer \(challenge), resource_metadata=\"https://evil.example/m\""
            await #expect(throws: TokenRejected.self) {
                try await access.withFreshToken { _ in throw TokenRejected(challenges: [line], url: evil) }
            }
        }
        #expect(world.wire.requests.count == count && world.logins == 1)
        #expect(try await access.authState()?.isAuthorized == true)
    }

    @Test func `a challenge for a stronger login leads to one, for a body of one's own too`() async throws {
        let access = try world.access()
        let line = #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="60""#
        let runs = Lock(0)
        let count = try await access.withFreshToken { _ in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 1 { throw TokenRejected(challenges: [line], url: world.url) }
            return run
        }
        #expect(count == 2 && world.logins == 2)
        #expect(world.asked.last?["acr_values"] == "gold silver" && world.asked.last?["max_age"] == "60")
        #expect(world.provider.requests(at: .token).allSatisfy { $0.parameters["grant_type"] == "authorization_code" })
    }

    @Test func `a process without a page hands the error of a call to one with a page, which logs in because of it`()
        async throws
    {
        let (calling, showing) = (try world.access(login: .elsewhere), try world.access())
        let first = await authError { try await calling.accessToken() }
        #expect(first?.code == .notLoggedIn)
        try await showing.logIn(because: first)
        // The second one is of a grant that the one with a page has not seen.
        try await world.access().logIn()
        let line = #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="60""#
        let error = await authError {
            try await calling.withFreshToken { _ in throw TokenRejected(challenges: [line], url: world.url) }
        }
        #expect(error?.code == .notLoggedIn)
        try await showing.logIn(because: error)
        #expect(world.asked.last?["acr_values"] == "gold silver" && world.asked.last?["max_age"] == "60")
        #expect(try await calling.performAction(world.get()).status == 200 && world.logins == 3)
    }

    @Test func `the error of a call without a page tells a refused token from a grant that has ended`() async throws {
        let clock = ManualClock()
        let world = try await ResourceWorld(clock: clock)
        func isToldOf(_ status: Int?) async -> Bool {
            let error = await authError { try await world.access(login: .elsewhere).performAction(world.get()) }
            return error?.code == .notLoggedIn && error?.httpStatus == status
        }
        #expect(await isToldOf(401))
        try await world.access().logIn()
        world.provider.rejectAccessTokens(times: 2)
        #expect(await isToldOf(401))
        try await world.access().logIn()
        world.provider.revokeGrants()
        clock.advance(by: .seconds(7200))
        #expect(await isToldOf(nil))
    }

    @Test func `a login that another process has made since an error answers the error: no second page is shown`()
        async throws
    {
        let error = await authError { try await world.access(login: .elsewhere).accessToken() }
        #expect(error?.code == .notLoggedIn && error?.grantID == nil)
        try await world.access().logIn()
        let late = try world.access()
        try await late.logIn(because: try JSONDecoder().decode(AuthStateError.self, from: JSONEncoder().encode(error)))
        #expect(try await late.performAction(world.get()).status == 200 && world.logins == 1)
    }

    @Test(
        "the error of a call names the grant that does not serve: one that it adopted meanwhile",
        arguments: ["insufficient_user_authentication", "invalid_token"])
    func adopted(_ fault: String) async throws {
        let folder = try ScratchFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = FileAuthStateStore(folder: folder["states"])
        func access(_ login: ResourceLogin = .elsewhere) throws -> ResourceAccess {
            try world.access(login: login, store: store, key: "key")
        }
        let runs = Lock(0)
        func rejected(by access: ResourceAccess) async -> AuthStateError? {
            await authError {
                try await access.withFreshToken { _ in
                    runs.withLock { $0 += 1 }
                    throw TokenRejected(challenges: [#"Bearer error="\#(fault)""#], url: world.url)
                }
            }
        }
        let (calling, showing) = (try access(), try access(.presenting(DirectUserAgent())))
        try await showing.logIn()
        #expect(try await calling.performAction(world.get()).status == 200)
        try await showing.logIn()
        let grantID = try await showing.authState()?.record.grantID
        if fault == "invalid_token" { #expect(await rejected(by: try access())?.code == .notLoggedIn) }
        let before = runs.withLock(\.self)
        for count in 1...2 {
            let error = await rejected(by: calling)
            #expect(error?.code == .notLoggedIn && error?.grantID == grantID, "\(String(describing: error))")
            // A grant that has ended is not tried again.
            #expect(runs.withLock(\.self) - before == (fault == "invalid_token" ? 0 : count))
        }
    }

    @Test func `calls that are refused at the same moment, for a strength that no login has, share one page`()
        async throws
    {
        let access = try world.access()
        try await access.logIn()
        let line = #"Bearer error="insufficient_user_authentication", acr_values="gold", max_age="60""#
        let errors = try await together(10) { _ in
            await authError {
                try await access.withFreshToken { _ in throw TokenRejected(challenges: [line], url: world.url) }
            }
        }
        #expect(errors.allSatisfy { $0?.code == .insufficientUserAuthentication } && world.logins == 2)
    }

    @Test func `a late refusal of an old token brings the new one, without another renewal`() async throws {
        let access = try world.access()
        let first = try await access.accessToken()
        #expect(await access.hidingToken(in: "no \(first)") == "no …")
        let rejection = TokenRejected(challenges: [#"Bearer error="invalid_token""#], url: world.url)
        let tokens = Set(try await together(20) { _ in try await access.accessToken(after: rejection, of: first) })
        #expect(tokens.count == 1 && !tokens.contains(first))
        #expect(try await access.accessToken(after: rejection, of: first) == tokens.first)
        #expect(world.provider.requestCount(.token) == 2 && world.logins == 1)
    }

    @Test func `a redirect URI that the program names is registered, where another one was before`() async throws {
        _ = try await world.access().performAction(world.get())
        let moved = try world.access { $0.redirectURI = try? RedirectURI("http://127.0.0.1:50001/other") }
        try await moved.logIn()
        #expect(world.asked.last?["redirect_uri"] == "http://127.0.0.1:50001/other")
        #expect(world.provider.requestCount(.registration) == 2)
        try await world.access { $0.redirectURI = try? RedirectURI("http://127.0.0.1:0/other") }.logIn()
        #expect(world.provider.requestCount(.registration) == 2)
    }

    @Test func `many requests at once share one login; a cancelled one ends by itself`() async throws {
        let agent = HeldUserAgent()
        let access = try world.access(login: .presenting(agent))
        let calls = (0..<20).map { _ in Task { try await access.performAction(world.get()).status } }
        await agent.gate.arrivals()
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        agent.gate.open()
        for call in calls.dropFirst() { #expect(try await call.value == 200) }
        #expect(agent.count == 1 && world.logins == 1 && world.provider.requestCount(.registration) == 1)
    }

    @Test("another account does not take over the login; the program may allow it")
    func otherAccount() async throws {
        let world = try await ResourceWorld { $0.users.append(.bob) }
        let access = try world.access {
            $0.scopes = [.openID]
            $0.prepare = { if world.logins > 0 { $0.loginHint = "bob" } }
        }
        _ = try await access.performAction(world.get())
        world.provider.revokeGrants()
        #expect(await authError { try await access.performAction(world.get()) }?.code == .accountChanged)
        #expect(world.provider.requestCount(.revocation) > 0)
        let lenient = try world.access {
            $0.scopes = [.openID]
            $0.account = .any
            $0.prepare = { $0.loginHint = "bob" }
        }
        #expect(try await lenient.performAction(world.get()).status == 200)
        let asks = Lock(0)
        let asking = try world.access {
            $0.scopes = ["api"]
            $0.account = .by { _, _ in
                asks.withLock { $0 += 1 }
                return false
            }
        }
        world.provider.revokeGrants()
        #expect(await authError { try await asking.performAction(world.get()) }?.code == .accountChanged)
        #expect(asks.withLock { $0 } == 1)
    }
}
