import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RedirectRouterTests {
    private let world: RedirectWorld

    init() async throws { world = try await RedirectWorld() }

    private static func changed(_ url: URL, _ edit: (String) -> String) throws -> URL {
        try #require(URL(string: edit(url.absoluteString)))
    }

    @Test("a login comes back by the URL that the system opens the app with")
    func login() async throws {
        let app = try world.launch()
        let task = world.beginLogin(try await world.request(), in: app)
        let answer = try await world.browser.answer()
        #expect(app.router.open(answer))
        #expect(try await bounded { try await task.value }.isAuthorized)
        // A second use, and what was never ours.
        #expect(!app.router.open(answer))
        #expect(app.refused == [.stateMismatch])
    }

    @Test(
        "a signed answer (JARM) finds its login by the state inside",
        arguments: [.queryJWT, .fragmentJWT] as [AuthorizationRequest.ResponseMode])
    func signed(_ mode: AuthorizationRequest.ResponseMode) async throws {
        let app = try world.launch()
        var request = try await world.request()
        request.responseMode = mode
        let task = world.beginLogin(request, in: app)
        let answer = try await world.browser.answer()
        #expect(!app.router.open(try Self.changed(answer) { $0 + "&state=x" }))
        #expect(!app.router.open(try Self.changed(answer) { $0.replacing("response=", with: "response=x") }))
        #expect(app.router.open(answer))
        #expect(try await bounded { try await task.value }.isAuthorized)
    }

    @Test("a deep link of the app is left to it, and not reported")
    func foreign() async throws {
        for app in [try world.launch(), try world.launch(world.store)] {
            for address in ["com.example.app:/settings?state=1", "https://app.example/callback?code=1&state=1"] {
                #expect(!app.router.open(try #require(URL(string: address))))
            }
            #expect(app.refused.isEmpty)
        }
    }

    @Test("a foreign URL neither ends a waiting login nor is taken")
    func wrongState() async throws {
        let app = try world.launch()
        let task = world.beginLogin(try await world.request(), in: app)
        let answer = try await world.browser.answer()
        let attacks = [
            try Self.changed(answer) { $0.replacing("state=", with: "state=x") },
            try Self.changed(answer) { $0.replacing("state=", with: "stat=") },
            try Self.changed(answer) { $0 + "&state=x" },
            try Self.changed(answer) { $0 + "#state=x" },
            try #require(URL(string: "com.example.app:/callback?error=access_denied")),
            try #require(URL(string: "com.example.app:/callback")),
        ]
        for attack in attacks { #expect(!app.router.open(attack)) }
        // The right state at another place of the scheme.
        #expect(!app.router.open(try Self.changed(answer) { $0.replacing(":/callback", with: ":/elsewhere") }))
        #expect(app.refused.count == attacks.count)
        #expect(app.router.open(answer))
        #expect(try await bounded { try await task.value }.isAuthorized)
    }

    @Test("several logins wait side by side, and each gets its own answer")
    func sideBySide() async throws {
        let app = try world.launch(world.store)
        let requests = [try await world.request(), try await world.request(), try await world.request()]
        let tasks = requests.map { request in
            Task { try await world.service.authorize(request, presenting: world.agent(app)).0.request.state }
        }
        for index in [2, 0, 1] { #expect(app.router.open(try await world.browser.answer(page: index))) }
        for (request, task) in zip(requests, tasks) {
            #expect(try await bounded { try await task.value } == request.state)
        }
        #expect(try await world.store.load("pending-redirects") == nil)
    }

    @Test func `a cancelled or late login frees its place, in the store too`() async throws {
        let app = try world.launch(world.store)
        let request = try await world.request()
        let task = Task { try await world.service.authorize(request, presenting: world.agent(app)) }
        let answer = try await world.browser.answer()
        #expect(try await world.store.load("pending-redirects") != nil)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await bounded { try await task.value } }
        #expect(try await world.store.load("pending-redirects") == nil)
        app.router.open(answer)
        try await app.refused(.stateMismatch)

        let slow = Task { [request = try await world.request()] in
            try await world.service.authorize(request, presenting: world.agent(app))
        }
        _ = try await world.browser.answer(page: 1)
        await world.clock.sleepers()
        world.clock.advance(by: .seconds(600))
        #expect(await authError { try await bounded { try await slow.value } }?.code == .timedOut)
        #expect(try await world.store.load("pending-redirects") == nil)
    }

    @Test("a page that cannot be opened, and a store that cannot be written, end the login at once")
    func unopened() async throws {
        let app = try world.launch(ReadOnlyAuthStateStore(world.store))
        let request = try await world.request()
        let unkept = await authError { try await world.service.authorize(request, presenting: world.agent(app)) }
        #expect(unkept?.code == .storeReadOnly)
        let closed = RedirectUserAgent(router: try world.launch().router, clock: world.clock) { _ in false }
        let error = await authError { try await world.service.authorize(request, presenting: closed) }
        #expect(error?.code == .browserUnavailable)
    }

    @Test func `a page at the redirect URI hands over to the app's scheme`() async throws {
        world.provider.update {
            $0.clients = [OpenIDProvider.Client(id: "app", redirectURIs: ["https://app.example/cb"])]
        }
        let app = try world.launch()
        let agent = RedirectUserAgent(
            router: app.router, callbackURL: try RedirectURI("com.example.app://redirect"), clock: world.clock
        ) { [browser = world.browser] in browser.show($0) }
        let task = Task { [request = try await world.request(redirectURI: "https://app.example/cb")] in
            try await AuthState.logIn(.browser(request, agent), at: .memory(service: world.service))
        }
        let answer = try await world.browser.answer(at: "https://app.example/cb")
        #expect(!app.router.open(answer))
        let place = "https://app.example/cb"
        #expect(app.router.open(try Self.changed(answer) { $0.replacing(place, with: "com.example.app://redirect") }))
        #expect(try await bounded { try await task.value }.isAuthorized)
    }

    @Test("a logout comes back the same way")
    func logout() async throws {
        let app = try world.launch(world.store)
        let task = try await world.beginLogout(in: app)
        let answer = try await world.browser.answer()
        #expect(app.router.open(answer))
        try await bounded { try await task.value }
        #expect(try await world.store.load("pending-redirects") == nil)
    }

    @Test(
        "a logout whose answer lacks its state ends at once, and is not done; an answer to a login without one is refused"
    )
    func logoutWithoutState() async throws {
        let app = try world.launch(world.store)
        let task = try await world.beginLogout(in: app)
        _ = try await world.browser.answer()
        let address = try #require(URL(string: RedirectWorld.redirectURI))
        let refusal = try #require(URL(string: "\(RedirectWorld.redirectURI)?error=access_denied"))
        #expect(!app.router.open(refusal) && app.router.open(address))
        #expect(await authError { try await bounded { try await task.value } }?.code == .stateMismatch)
        #expect(!app.router.open(address))
    }

    @Test func `an agent that was given only a URL knows the answer by its state`() async throws {
        let app = try world.launch(world.store)
        let pending = try await world.service.begin(try await world.request())
        let session = try await world.agent(app).prepare(redirectURI: pending.request.redirectURI, for: .login)
        let task = Task { try await session.present(pending.url) }
        let answer = try await world.browser.answer()
        #expect(app.router.open(answer))
        #expect(try await bounded { try await task.value }.url == answer.absoluteString)
        await session.finish(.completed)
        let other = try await world.agent(app).prepare(redirectURI: pending.request.redirectURI, for: .login)
        #expect(await authError { try await other.present(LoopbackTrip.page) }?.code == .invalidArgument)
    }
}
