import AuthStateFoundation
import AuthStateTesting
import Observation
import Testing

@testable import AuthStateApp
@testable import AuthStateKit

@MainActor
@Suite(.timeLimit(.minutes(5))) struct SessionRestoringTests {
    private let fixture: SessionFixture

    init() async throws { fixture = try await SessionFixture() }

    @Test("a session shows the stored login and the user's name without a network; userinfo can be read again")
    func restored() async throws {
        try await fixture.core.signIn()
        let requests = fixture.provider.provider.statistics.requests
        let next = try await fixture.restarted()
        await next.core.restore()
        #expect(next.state.isAuthenticated && !next.state.isLoading && next.state.error == nil)
        #expect(next.state.user?.subject == "248289761001" && next.state.user?.email == "ada@example.com")
        #expect(fixture.provider.provider.statistics.requests == requests)
        try await next.core.reloadUser()
        #expect(fixture.provider.provider.requestCount(.userInfo) == 2 && next.state.user?.email == "ada@example.com")
    }

    @Test func `userinfo is shown to its own subject alone, and leaves the store with the login`() async throws {
        try await fixture.core.signIn()
        var record = try #require(try await fixture.stored())
        #expect(AuthUser(record).email == "ada@example.com")
        record.annotations["userinfo"] = record.annotations["userinfo"]?.replacing("248289761001", with: "2")
        #expect(AuthUser(record).email == nil)
        var distributed = record
        distributed.keep(
            try UserInfo(["sub": "2", "name": "Bob", "_claim_sources": ["a": "b"]], subject: "2", isSigned: false))
        #expect(distributed.annotations["userinfo"]?.contains("_claim") == false)
        _ = await fixture.core.signOut()
        let rest = try await fixture.store.load(.default).map { String(decoding: $0.archive, as: UTF8.self) }
        #expect(rest?.contains("ada@example.com") != true)
    }

    @Test func `a session without a login shows no user and no error`() async throws {
        await fixture.core.restore()
        #expect(fixture.state == AuthSessionState())
        #expect(await authError { try await fixture.core.reloadUser() }?.code == .notLoggedIn)
    }

    @Test func `a session reports a corrupt store, and leaves it as it is`() async throws {
        try await fixture.store.withLease(.default, deadline: .seconds(1)) { lease in
            _ = try await lease.save(.init("{}".utf8), expecting: nil)
        }
        await fixture.core.restore()
        #expect(fixture.state.error?.code == .storeCorrupt && !fixture.state.isAuthenticated)
        #expect(try await fixture.store.load(.default) != nil)
    }

    @Test func `a session that was restored before the first unlock shows no error after it`() async throws {
        let device = FakeDevice()
        let fixture = try await SessionFixture(store: device.store())
        try await fixture.core.signIn()
        let next = try await fixture.restarted()
        device.set(.beforeFirstUnlock)
        await next.core.restore()
        #expect(next.state.error?.code == .deviceLocked && !next.state.isAuthenticated)
        device.set(.unlocked)
        await next.core.restore()
        #expect(next.state.error == nil && next.state.isAuthenticated)
    }

    @Test func `a session neither shows nor ends another client's login`() async throws {
        try await fixture.core.signIn()
        let other = try await SessionFixture(store: fixture.store, provider: fixture.provider) {
            $0.clientID = "another"
        }
        await other.core.restore()
        #expect(!other.state.isAuthenticated && other.state.error?.code == .invalidArgument)
        #expect(await other.core.signOut().failures.first?.code == .invalidArgument)
        #expect(try await fixture.stored()?.isAuthorized == true)
    }

    @Test(
        "a session does not take another provider's login for its own: nothing is sent there", arguments: [true, false])
    func otherProvider(_ isDiscovered: Bool) async throws {
        try await fixture.core.signIn()
        let configuration = fixture.provider.configuration
        let other = try await SessionFixture(store: fixture.store) {
            guard !isDiscovered else { return }
            var copy = configuration
            copy.issuer = nil
            copy.tokenEndpoint = URL(string: "https://op.example/token") ?? copy.tokenEndpoint
            $0 = AuthSessionConfiguration(.configuration(copy), clientID: "app")
        }
        await other.core.restore()
        #expect(!other.state.isAuthenticated && other.state.error?.code == .invalidArgument)

        var request = try await fixture.core.configuration.request(fixture.provider.service)
        request.redirectURI = try RedirectURI("com.example.app:/callback")
        let pending = try await fixture.provider.service.begin(request)
        let answer = try await fixture.provider.service.transport.send(TransportRequest(url: pending.url))
        let callback = AuthorizationCallback(url: try #require(answer.headers["Location"]))
        let count = fixture.provider.provider.requestCount(.token)
        #expect(
            await authError { try await other.core.complete(pending, callback: callback) }?.code == .invalidArgument)
        #expect(fixture.provider.provider.requestCount(.token) == count)
    }

    @Test func `a login that ends while it is read is not shown`() async throws {
        try await fixture.core.signIn()
        let gate = ScriptedTransport.Gate()
        let store = WatchedStore(try #require(fixture.store as? InMemoryAuthStateStore))
        let next = try await SessionFixture(store: store, provider: fixture.provider)
        store.hold(at: gate)
        let restoring = Task { await next.core.restore() }
        await gate.arrivals()
        store.hold(at: nil)
        #expect(await next.core.signOut().removal == .done)
        gate.open()
        await restoring.value
        #expect(next.core.authState == nil && next.state == AuthSessionState())
    }

    @Test func `an ended login is not shown, but its reason is; the next login is shown again`() async throws {
        try await fixture.core.signIn()
        fixture.provider.provider.revokeGrants()
        let authState = try #require(fixture.core.authState)
        #expect(await authError { try await authState.refresh() }?.code == .invalidGrant)
        try await eventually { !fixture.state.isAuthenticated }
        #expect(fixture.state.error?.code == .invalidGrant && fixture.state.user == nil)
        let next = try await fixture.restarted()
        await next.core.restore()
        #expect(!next.state.isAuthenticated && next.state.error?.code == .invalidGrant)
        fixture.core.dismissError()
        try await fixture.core.signIn()
        #expect(fixture.state.isAuthenticated && fixture.state.error == nil)
    }

    @Test func `a change by another process is shown after the next restore()`() async throws {
        try await fixture.core.signIn()
        let other = try await fixture.restarted()
        await other.core.restore()
        await other.core.signOut()
        await fixture.core.restore()
        try await eventually { !fixture.state.isAuthenticated }
        #expect(fixture.state.error == nil)
    }

    @Test func `a request that needs a new login keeps the same user`() async throws {
        try await fixture.core.signIn()
        fixture.provider.provider.revokeGrants()
        let authState = try #require(fixture.core.authState)
        let response = try await authState.performAction(
            TransportRequest(url: fixture.provider.provider.url(of: .resource)),
            reauthorize: fixture.core.reauthorization)
        #expect(response.status == 200)
        try await eventually { fixture.state.isAuthenticated }
        #expect(fixture.state.user?.email == "ada@example.com" && fixture.state.error == nil)
    }

    @Test("views observe every change, and dismiss errors by setting the message to nil")
    func observed() async throws {
        let session = AuthSession(fixture.core)
        let changes = Counter()
        withObservationTracking {
            _ = session.isAuthenticated
        } onChange: {
            Task { @MainActor in changes.count += 1 }
        }
        let user = try await session.signIn()
        try await eventually { changes.count == 1 }
        #expect(session.isAuthenticated && session.user == user && session.authState != nil)
        #expect(session.scope != nil && session.accessTokenExpirationDate != nil)
        fixture.provider.provider.update { $0.login = .denied }
        await session.signIn { _ in }.value
        #expect(session.errorMessage != nil && session.error?.code == .accessDenied)
        session.errorMessage = "something else"
        #expect(session.error?.code == .accessDenied)
        session.errorMessage = nil
        #expect(session.error == nil && session.isAuthenticated)
        await session.signOut()
        #expect(!session.isAuthenticated && session.authState == nil)
    }

    @MainActor
    private final class Counter { var count = 0 }

    @Test func `a session without references ends, although its state lives on`() async throws {
        weak var core: AuthSessionCore?
        var authState: AuthState?
        do {
            let session = AuthSession(
                fixture.core.configuration, userAgent: DirectUserAgent(), service: fixture.provider.service,
                store: InMemoryAuthStateStore())
            try await session.signIn()
            core = session.core
            authState = session.authState
        }
        try await eventually { core == nil }
        #expect(authState?.isAuthorized == true)
    }
}
