import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateApp
@testable import AuthStateKit

@MainActor
@Suite(.timeLimit(.minutes(5))) struct SignInTests {
    @Test("a sign-in shows the user, the scope and the expiry, and stores the state")
    func signIn() async throws {
        let fixture = try await SessionFixture()
        let user = try await fixture.core.signIn()
        #expect(user.name == "Ada Lovelace" && user.email == "ada@example.com" && user.subject == "248289761001")
        #expect(fixture.state.user == user && fixture.state.isAuthenticated && !fixture.state.isLoading)
        #expect(fixture.state.error == nil && fixture.state.scope?.contains("email") == true)
        #expect(fixture.state.accessTokenExpirationDate != nil)
        #expect(fixture.core.authState?.isAuthorized == true)
        #expect(try await fixture.stored()?.refreshToken != nil)
        #expect(fixture.history.states.map(\.isLoading) == [true, true, false])
    }

    @Test("a sign-in calls back on the main actor")
    func completion() async throws {
        let fixture = try await SessionFixture()
        let results = Results()
        await fixture.core.signIn { results.add($0) }.value
        #expect(try results.all.map { try $0.get().name } == ["Ada Lovelace"])
        fixture.provider.provider.update { $0.login = .denied }
        await fixture.core.signIn { results.add($0) }.value
        #expect(throws: AuthStateError.self) { try results.all.last?.get() }
    }

    @MainActor
    private final class Results {
        private(set) var all: [Result<AuthUser, any Error>] = []
        func add(_ result: Result<AuthUser, any Error>) { all.append(result) }
    }

    @Test func `a sign-in asks with the prompt and the hint of this call, and with what every call has`() async throws {
        let fixture = try await SessionFixture {
            $0.additionalParameters = ["audience": "api"]
            $0.prepare = { $0.uiLocales = ["cy"] }
        }
        let user = try await fixture.core.signIn(
            prompt: [.selectAccount], loginHint: "bob", additionalParameters: ["tenant": "t"])
        #expect(user.name == "Bob Frank")
        let sent = try #require(fixture.provider.provider.requests(at: .authorization).last?.parameters)
        #expect(sent["prompt"] == "select_account" && sent["audience"] == "api" && sent["tenant"] == "t")
        #expect(sent["ui_locales"] == "cy" && sent["scope"] == "openid profile email")
    }

    @Test func `a session uses given endpoints, and the rules of a known provider`() async throws {
        let service = AuthorizationService(transport: ScriptedTransport())
        let gitHub = AuthSessionConfiguration(.known(.gitHub), clientID: "c")
        #expect(try await gitHub.request(service).scopes == ["read:user"])
        let fixture = try await SessionFixture()
        let known = AuthSessionConfiguration(
            .configuration(fixture.provider.configuration), clientID: "app", scopes: [.openID])
        let request = try await known.request(service)
        #expect(request.scopes == [.openID] && request.client.provider == fixture.provider.configuration)
    }

    @Test("two providers side by side do not affect each other")
    func sideBySide() async throws {
        let store = InMemoryAuthStateStore()
        let first = try await SessionFixture(store: store, key: "first")
        let second = try await SessionFixture(store: store, key: "second")
        try await first.core.signIn()
        try await second.core.signIn(loginHint: "bob")
        await first.core.signOut()
        #expect(!first.state.isAuthenticated && second.state.user?.name == "Bob Frank")
        #expect(try await first.stored("first") == nil)
        #expect(try await first.stored("second")?.isAuthorized == true)
    }

    @Test func `a user who closes the page sees no error, and the caller can tell`() async throws {
        let fixture = try await SessionFixture(agent: HeldUserAgent(.closes, isOpen: true))
        #expect(await authError { try await fixture.core.signIn() }?.kind == .cancelled)
        #expect(fixture.state == AuthSessionState())
    }

    @Test("a refusal is shown, and dismissed")
    func denied() async throws {
        let fixture = try await SessionFixture()
        fixture.provider.provider.update { $0.login = .denied }
        #expect(await authError { try await fixture.core.signIn() }?.code == .accessDenied)
        #expect(fixture.state.error?.code == .accessDenied && fixture.state.errorMessage != nil)
        #expect(!fixture.state.isAuthenticated && !fixture.state.isLoading)
        fixture.core.dismissError()
        #expect(fixture.state.errorMessage == nil)
    }

    @Test("two taps are one login")
    func shared() async throws {
        let agent = HeldUserAgent()
        let fixture = try await SessionFixture(agent: agent)
        async let first = fixture.core.signIn()
        async let second = fixture.core.signIn()
        await agent.gate.arrivals()
        agent.gate.open()
        #expect(try await first == second)
        #expect(agent.count == 1)
    }

    @Test("a login with other parameters is refused while one is in progress")
    func refused() async throws {
        let agent = HeldUserAgent()
        let fixture = try await SessionFixture(agent: agent)
        async let first = fixture.core.signIn()
        await agent.gate.arrivals()
        #expect(await authError { try await fixture.core.signIn(loginHint: "bob") }?.code == .invalidArgument)
        #expect(fixture.state.isLoading)
        agent.gate.open()
        #expect(try await first.name == "Ada Lovelace")
    }

    @Test("a cancelled caller returns at once; with the last one the browser closes and nothing is kept")
    func cancelled() async throws {
        let agent = HeldUserAgent()
        let fixture = try await SessionFixture(agent: agent)
        let first = Task { try await fixture.core.signIn() }
        let second = Task { try await fixture.core.signIn() }
        await agent.gate.arrivals()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(fixture.state.isLoading && agent.outcomes.isEmpty)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(fixture.state == AuthSessionState())
        try await eventually { agent.outcomes == ["cancelled"] }
        #expect(try await fixture.stored() == nil)
        // The next login is a new one.
        agent.gate.open()
        try await fixture.core.signIn()
        #expect(fixture.state.isAuthenticated && agent.count == 2)
    }

    @Test func `the late result of a cancelled login is revoked, and not shown`() async throws {
        let agent = HeldUserAgent(isDeaf: true)
        let fixture = try await SessionFixture(agent: agent)
        let login = Task { try await fixture.core.signIn() }
        await agent.gate.arrivals()
        fixture.core.cancelSignIn()
        #expect(await authError { try await login.value }?.kind == .cancelled)
        #expect(fixture.state == AuthSessionState())
        agent.gate.open()
        try await eventually { !agent.outcomes.isEmpty }
        #expect(fixture.state == AuthSessionState() && fixture.core.authState == nil)
        #expect(try await fixture.stored() == nil)
    }

    @Test("another user's login replaces the first one as a whole")
    func accountSwitch() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        let first = try #require(fixture.core.authState)
        // Bob's userinfo is unavailable: nothing of Ada's may stand in for it.
        fixture.provider.provider.inject(.status(503), at: .userInfo)
        try await fixture.core.signIn(loginHint: "bob")
        #expect(fixture.state.user?.subject == "2" && fixture.state.user?.email != "ada@example.com")
        #expect(fixture.state.user?.userInfo == nil)
        #expect(fixture.core.authState !== first)
        let epochs = fixture.history.states.filter { $0.user?.subject == "2" }.map(\.status?.grantEpoch)
        #expect(Set(epochs).isDisjoint(with: [1]))
        #expect(try await fixture.stored()?.grantEpoch == 2)
    }

    @Test func `a second login that fails leaves the first one as it was`() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        let stored = try await fixture.stored()
        fixture.provider.provider.update { $0.login = .denied }
        #expect(await authError { try await fixture.core.signIn(loginHint: "bob") } != nil)
        #expect(fixture.state.user?.name == "Ada Lovelace" && fixture.state.error?.code == .accessDenied)
        #expect(try await fixture.stored() == stored)
    }

    @Test func `a login that came back after the app ended is completed by the next start`() async throws {
        let fixture = try await SessionFixture()
        var request = try await fixture.core.configuration.request(fixture.provider.service)
        request.redirectURI = try RedirectURI("com.example.app:/callback")
        let pending = try await fixture.provider.service.begin(request)
        let answer = try await fixture.provider.service.transport.send(TransportRequest(url: pending.url))
        let callback = AuthorizationCallback(url: try #require(answer.headers["Location"]))
        let next = try await fixture.restarted()
        await next.core.restore()
        #expect(try await next.core.complete(pending, callback: callback).name == "Ada Lovelace")
        #expect(next.state.isAuthenticated)
        #expect(try await next.stored()?.isAuthorized == true)
        let other = try await SessionFixture(provider: fixture.provider) { $0.clientID = "another" }
        let error = await authError { try await other.core.complete(pending, callback: callback) }
        #expect(error?.code == .invalidArgument && !other.state.isAuthenticated)
    }

    @Test func `a redirect to an app that was killed in between finds the session of the next start`() async throws {
        let pendings = InMemoryAuthStateStore()
        let redirectURI = try RedirectURI("com.example.app:/callback")
        let opened = Lock<URL?>(nil)
        let first = RedirectRouter(store: pendings)
        let agent = RedirectUserAgent(router: first) { url in
            opened.withLock { $0 = url }
            return true
        }
        let fixture = try await SessionFixture(agent: agent) { $0.redirectURI = redirectURI }
        // This process never continues.
        let lost = Task { try await fixture.core.signIn() }
        defer { lost.cancel() }
        try await eventually { opened.withLock { $0 } != nil }
        let page = try #require(opened.withLock { $0 })
        let answer = try await fixture.provider.service.transport.send(TransportRequest(url: page))
        let location = try #require(answer.headers["Location"].flatMap(URL.init(string:)))

        let router = RedirectRouter(redirectURIs: [redirectURI], store: pendings)
        let next = try await fixture.restarted()
        await next.core.restore()
        #expect(!next.state.isAuthenticated)
        #expect(router.open(location))
        var redirects = router.restored.makeAsyncIterator()
        let redirect = try #require(await redirects.next())
        #expect(try await next.core.complete(redirect)?.name == "Ada Lovelace")
        #expect(next.state.isAuthenticated)
        #expect(try await next.stored()?.isAuthorized == true)
    }
}
