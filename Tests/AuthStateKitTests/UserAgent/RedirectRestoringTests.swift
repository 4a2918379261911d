import AuthStateFoundation
import AuthStateSystem
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateUserAgent

@Suite(.timeLimit(.minutes(5))) struct RedirectRestoringTests {
    private let world: RedirectWorld

    init() async throws { world = try await RedirectWorld() }

    /// Begins a login in an app that is ended while the user is at the provider; the task stands for what is lost.
    private static func begin(
        in world: RedirectWorld, label: String? = nil, page: Int = 0, store: (any AuthStateStore)? = nil
    ) async throws -> (answer: URL, lost: Task<AuthState, any Error>) {
        let app = try world.launch(store ?? world.store)
        let request = try await world.request()
        // An app that was killed notices no timeout.
        let agent = world.agent(app, label: label, timeout: .seconds(86400))
        let lost = Task { try await AuthState.logIn(.browser(request, agent), at: .memory(service: world.service)) }
        return (try await world.browser.answer(page: page), lost)
    }

    @Test("a login whose app was killed is restored, redirected and exchanged")
    func restored() async throws {
        let (answer, lost) = try await Self.begin(in: world, label: "account-1")
        defer { lost.cancel() }

        // The next start: the system opens the app with the URL before anything else has run.
        let app = try world.launch(world.store)
        #expect(app.router.open(answer))
        let redirect = try await app.restored()
        #expect(redirect.label == "account-1")
        guard case .login(let pending) = redirect.flow else { throw Hang() }
        let state = try await AuthState.logIn(
            .callback(redirect.callback, of: pending),
            at: AuthState.Place(world.store, key: "account-1", service: world.service))
        #expect(state.isAuthorized)
        #expect(try await AuthState.restore(at: AuthState.Place(world.store, key: "account-1")).isAuthorized)

        // The same URL again: in this process, and in the next.
        #expect(!app.router.open(answer))
        #expect(app.refused == [.stateMismatch])
        let next = try world.launch(world.store)
        next.router.open(answer)
        try await next.refused(.stateMismatch)
        #expect(try await world.store.load("pending-redirects") == nil)
    }

    @Test func `an app without the store cannot restore the login`() async throws {
        let (answer, lost) = try await Self.begin(in: world)
        defer { lost.cancel() }
        let app = try world.launch()
        #expect(!app.router.open(answer))
        #expect(app.refused == [.stateMismatch])
        let other = try world.launch(InMemoryAuthStateStore())
        other.router.open(answer)
        try await other.refused(.stateMismatch)
    }

    @Test func `a login that the store could not give out is restored when its URL is opened again`() async throws {
        let store = FaultyStore()
        let (answer, lost) = try await Self.begin(in: world, store: store)
        defer { lost.cancel() }
        let app = try world.launch(store)
        store.failOnce(.delete)
        #expect(app.router.open(answer))
        try await app.refused(.storeUnwritable)
        #expect(app.router.open(answer))
        _ = try await app.restored()
        #expect(!app.router.open(answer))
    }

    @Test("a login that comes back after ten minutes is refused, and removed by the next login")
    func expired() async throws {
        let (answer, lost) = try await Self.begin(in: world)
        world.clock.advance(by: .seconds(599))
        let (second, alsoLost) = try await Self.begin(in: world, page: 1)
        defer {
            lost.cancel()
            alsoLost.cancel()
        }
        world.clock.advance(by: .seconds(1))
        let app = try world.launch(world.store)
        app.router.open(answer)
        try await app.refused(.stateMismatch)
        // The younger login still works.
        #expect(app.router.open(second))
        _ = try await app.restored()
        #expect(try await world.store.load("pending-redirects") == nil)
    }

    @Test func `several logins are restored, each once, for any listener at any time`() async throws {
        let flows = [
            try await Self.begin(in: world, label: "0"), try await Self.begin(in: world, label: "1", page: 1),
            try await Self.begin(in: world, label: "2", page: 2),
        ]
        defer { for flow in flows { flow.lost.cancel() } }
        let app = try world.launch(world.store)
        // Asked for by a view that goes away again.
        let gone = Task { [router = app.router] in for await _ in router.restored {} }
        gone.cancel()
        await gone.value
        #expect(app.router.open(flows[1].answer))
        #expect(app.router.open(flows[0].answer))
        #expect(Set([try await app.restored().label, try await app.restored().label]) == ["0", "1"])
        // Two apps, or two windows, that are opened with the same URL.
        let twin = try world.launch(world.store)
        #expect(app.router.open(flows[2].answer))
        #expect(try await app.restored().label == "2")
        twin.router.open(flows[2].answer)
        try await twin.refused(.stateMismatch)
    }

    @Test("one of two apps that know the same flow gets it")
    func claimedOnce() async throws {
        let (answer, lost) = try await Self.begin(in: world)
        let (other, alsoLost) = try await Self.begin(in: world, page: 1)
        defer {
            lost.cancel()
            alsoLost.cancel()
        }
        let apps = [try world.launch(world.store), try world.launch(world.store)]
        // Both have read the store once they have refused this.
        let unknown = try #require(URL(string: "\(RedirectWorld.redirectURI)?code=1&state=unknown"))
        for app in apps {
            #expect(app.router.open(unknown))
            try await app.refused(.stateMismatch)
        }
        #expect(apps[0].router.open(answer))
        _ = try await apps[0].restored()
        #expect(apps[1].router.open(answer))
        try await apps[1].refused(.stateMismatch, .stateMismatch)
        #expect(apps[1].router.open(other))
        _ = try await apps[1].restored()
    }

    @Test func `a login of this process waits on while one of an earlier process is restored`() async throws {
        let (old, lost) = try await Self.begin(in: world)
        defer { lost.cancel() }
        let app = try world.launch(world.store)
        let request = try await world.request()
        let task = Task { try await world.service.authorize(request, presenting: world.agent(app)) }
        let new = try await world.browser.answer(page: 1)
        #expect(app.router.open(old))
        guard case .login(let pending) = try await app.restored().flow else { throw Hang() }
        #expect(pending.request.state != request.state)
        #expect(app.router.open(new))
        #expect(try await bounded { try await task.value }.0.request.state == request.state)
    }

    @Test(
        "a flow of this process is never one of an earlier process, however late the store is read",
        arguments: [0, 1, 2])
    func readLate(_ order: Int) throws {
        let redirectURI = try RedirectURI(RedirectWorld.redirectURI)
        let place = try CallbackPlace(redirectURI: redirectURI, callbackURL: nil, stage: .authorization)
        let endpoint = try #require(URL(string: "https://op.example/token"))
        let request = EndSessionRequest(
            configuration: ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: endpoint), clientID: "app")
        let stored = PendingRedirect(
            flow: .logout(PendingLogout(request: request, url: endpoint)), place: place, label: nil,
            expiresAt: .distantFuture)
        let address = "\(redirectURI)?state=\(request.state)"
        var table = RedirectTable(redirectURIs: [redirectURI], isComplete: false)
        // The store has the flow before the table knows of it.
        if order == 0 { table.complete(with: [stored]) }
        table.add(RedirectTable.Waiting(state: request.state, place: place, answer: SharedResult()))
        if order == 1 { table.complete(with: [stored]) }
        guard case .answer = table.take(address) else { throw Hang() }
        // It was read before the flow was removed.
        if order == 2 { table.complete(with: [stored]) }
        guard case .refused = table.take(address) else { throw Hang() }
    }

    @Test func `URLs with which any program opens the app do not pile up while the store is read`() async throws {
        let gate = ScriptedTransport.Gate()
        let store = WatchedStore(world.store)
        store.hold(at: gate)
        let app = try world.launch(store)
        let taken = try (0..<100).filter { number in
            app.router.open(try #require(URL(string: "\(RedirectWorld.redirectURI)?code=1&state=\(number)")))
        }
        #expect(taken.count == 64 && app.refused.count == 36)
        gate.open()
        try await eventually { app.refused.count == 100 }
    }

    @Test("a logout is restored too")
    func logout() async throws {
        let lost = try await world.beginLogout(in: try world.launch(world.store))
        defer { lost.cancel() }
        let answer = try await world.browser.answer()
        let app = try world.launch(world.store)
        #expect(app.router.open(answer))
        let redirect = try await app.restored()
        guard case .logout(let pending) = redirect.flow else { throw Hang() }
        try world.service.complete(pending, callback: redirect.callback)
    }

    @Test func `a key that holds something else is left as it is, and reported`() async throws {
        let contents = Data(#"{"format":1,"state":{}}"#.utf8)
        _ = try await world.store.withLease("pending-redirects", deadline: .seconds(1)) {
            try await $0.save(contents, expecting: nil)
        }
        let app = try world.launch(world.store)
        let request = try await world.request()
        let error = await authError { try await world.service.authorize(request, presenting: world.agent(app)) }
        #expect(error?.code == .storeCorrupt)
        app.router.open(try #require(URL(string: "\(RedirectWorld.redirectURI)?code=1&state=2")))
        try await app.refused(.storeCorrupt)
        #expect(try await world.store.load("pending-redirects")?.archive == contents)
    }

    @Test func `entries in a format of another version are dropped`() async throws {
        _ = try await world.store.withLease("pending-redirects", deadline: .seconds(1)) {
            try await $0.save(Data(#"{"pendingRedirects":2,"things":[]}"#.utf8), expecting: nil)
        }
        let (answer, lost) = try await Self.begin(in: world)
        defer { lost.cancel() }
        let app = try world.launch(world.store)
        #expect(app.router.open(answer))
        let redirect = try await app.restored()
        #expect("\(redirect)" == "redirect for a pending authorization of app, until \(world.expiry)")
        #expect(!"\(Mirror(reflecting: redirect).children.map { "\($0.value)" })".contains("code"))
    }
}

extension RedirectWorld {
    fileprivate var expiry: Date { clock.date.addingTimeInterval(600) }
}
