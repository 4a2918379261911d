import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

@Suite(.timeLimit(.minutes(2))) struct PoolSessionTests {
    private let fixture: ProviderFixture
    private let base = InMemoryAuthStateStore()
    private let redirectURI: RedirectURI
    private let pool: AuthStatePool

    init() async throws {
        fixture = try await ProviderFixture()
        redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        pool = Self.pool(fixture, base)
    }

    /// Another server of the same store.
    private static func pool(_ fixture: ProviderFixture, _ base: any AuthStateStore) -> AuthStatePool {
        AuthStatePool(
            NamedClient(.issuer(fixture.provider.issuer), id: "service", credential: .secret("service-secret")),
            store: IndexedAuthStateStore(base), service: fixture.service)
    }

    /// Logs in as a browser does; the pending login waits in the browser's session, archived.
    @discardableResult
    private func logIn(_ key: AuthStateKey) async throws -> AuthState {
        let pending = try await pool.beginLogin(redirectURI: redirectURI, scopes: [.openID, .offlineAccess])
        let kept = try JSONDecoder().decode(PendingAuthorization.self, from: JSONEncoder().encode(pending))
        return try await pool.completeLogin(kept, callback: DirectUserAgent().visit(kept), for: key)
    }

    @Test func `a pool begins and completes a login, and renews it with the client's secret`() async throws {
        let state = try await logIn("a")
        #expect(state.user?.subject != nil && state.record.refreshToken != nil)
        try await state.refresh()
        #expect(
            try await Self.pool(fixture, base).withFreshToken(for: "a") { $0.accessToken } == state.record.accessToken
        )
    }

    @Test(
        "a login with more combining marks than JSON may have, in its callback or in an annotation, is indexed and restored",
        arguments: [false, true])
    func combiningMarks(isAnnotation: Bool) async throws {
        let annotations = isAnnotation ? ["note": String(repeating: "\u{301}", count: 31)] : [:]
        let extra = isAnnotation ? "" : "&x=" + String(repeating: "%CC%81", count: 31)
        let pending = try await pool.beginLogin(redirectURI: redirectURI)
        let callback = AuthorizationCallback(url: try await DirectUserAgent().visit(pending).url + extra)
        let state = try await pool.completeLogin(pending, callback: callback, for: "a", annotations: annotations)
        let subject = try #require(state.user?.subject)
        #expect(try await pool.keys(of: subject, at: try Issuer(fixture.provider.issuer)) == ["a"])
        let restored = try await Self.pool(fixture, base).state(for: "a")
        #expect(restored.isAuthorized && restored.record.annotations == annotations)
    }

    @Test func `a login of another client is not completed, and its code is not spent`() async throws {
        var request = fixture.request()
        request.redirectURI = redirectURI
        let foreign = try await fixture.service.begin(request)
        let error = await authError {
            try await pool.completeLogin(foreign, callback: DirectUserAgent().visit(foreign), for: "a")
        }
        #expect(error?.code == .invalidArgument && error?.expected == "service" && error?.received == "app")
        #expect(fixture.provider.requests(at: .token).isEmpty)
    }

    @Test func `a pool without a client of its own says how to name one`() async throws {
        let pool = AuthStatePool(store: base, service: fixture.service)
        let error = await authError { try await pool.beginLogin(redirectURI: redirectURI) }
        #expect(error?.code == .invalidArgument && error?.message == "The pool has no client of its own.")
    }

    @Test("a logout by key revokes, leaves nothing in the store, and has the page that ends the provider's session")
    func logOut() async throws {
        try await logIn("a")
        let other = Self.pool(fixture, base)
        _ = try await other.state(for: "a")
        let outcome = try await pool.logOut("a")
        #expect(outcome.removal == .done && outcome.revocation == .done && outcome.failures.isEmpty)
        #expect(
            outcome.pending?.url.absoluteString.hasPrefix(fixture.provider.url(of: .endSession).absoluteString) == true)
        #expect(try await base.load("a") == nil)
        for server in [pool, other] {
            #expect(await authError { try await server.freshTokens(for: "a") }?.code == .notLoggedIn)
        }
        let again = try await pool.logOut("a")
        #expect(again.removal == .notNeeded && again.pending == nil, "nothing happens without a login")
    }

    @Test("a logout by key removes a state that can never be read; its tokens stay valid", arguments: [false, true])
    func unreadable(isLocal: Bool) async throws {
        try await base.withLease("a", deadline: .seconds(1)) { lease in
            _ = try await lease.save(Data(#"{"format":3,"state":7}"#.utf8), expecting: nil)
        }
        let outcome = try await pool.logOut("a", isLocal ? .local : .everywhere())
        #expect(outcome.removal == .done && outcome.failures.map(\.code) == (isLocal ? [] : [.storeCorrupt]))
        #expect(try await base.load("a") == nil)
    }

    @Test("a state that can never be read does not keep the user's other sessions, and ends with them")
    func unreadableBesideOthers() async throws {
        let subject = try #require(try await logIn("a").user?.subject)
        try await logIn("b")
        try await base.withLease("a", deadline: .seconds(1)) { lease in
            let stored = try #require(try await lease.load())
            _ = try await lease.save(Data(#"{"format":3,"state":7}"#.utf8), expecting: stored.version)
        }
        let other = Self.pool(fixture, base)
        let outcome = try await other.logOut(user: subject, at: try Issuer(fixture.provider.issuer))
        #expect(outcome.ended == ["a", "b"] && outcome.warnings.map(\.code) == [.storeCorrupt])
        for key in ["a", "b"] as [AuthStateKey] { #expect(try await base.load(key) == nil) }
    }

    /// Logs in at another pool, and keeps no state.
    private func logIn(_ key: AuthStateKey, at pool: AuthStatePool) async throws -> String {
        let pending = try await pool.beginLogin(redirectURI: redirectURI)
        let state = try await pool.completeLogin(pending, callback: DirectUserAgent().visit(pending), for: key)
        return try #require(state.user?.subject)
    }

    @Test func `a logout that could not be saved is saved by the next one, for a key and for a user`() async throws {
        let store = FaultyStore()
        let pool = Self.pool(fixture, store)
        let issuer = try Issuer(fixture.provider.issuer)
        for isUser in [false, true] {
            let subject = try await logIn("a", at: pool)
            store.fail(.save, .delete)
            if isUser {
                #expect(await authError { try await pool.logOut(user: subject, at: issuer) }?.kind == .store)
            } else {
                #expect(try await pool.logOut("a").failures.first?.kind == .store)
            }
            #expect(try await store.inner.load("a") != nil)
            store.fail()
            if isUser {
                #expect(try await pool.logOut(user: subject, at: issuer).ended == ["a"])
            } else {
                #expect(try await pool.logOut("a").removal == .done)
            }
            #expect(try await store.inner.load("a") == nil && pool.statistics.loaded == 0)
        }
    }

    @Test func `all sessions of a user end at once, at every server, and another user's do not`() async throws {
        let subject = try #require(try await logIn("a").user?.subject)
        let issuer = try Issuer(fixture.provider.issuer)
        try await logIn("b")
        let other = Self.pool(fixture, base)
        _ = try await other.state(for: "b")
        #expect(try await other.keys(of: subject, at: issuer) == ["a", "b"])
        #expect(try await other.logOut(user: "another", at: issuer).ended == [])
        let outcome = try await other.logOut(user: subject, at: issuer)
        #expect(outcome.ended == ["a", "b"] && outcome.warnings.isEmpty)
        #expect(fixture.provider.requests(at: .revocation).count == 4)
        for key in ["a", "b"] as [AuthStateKey] {
            #expect(await authError { try await pool.freshTokens(for: key) }?.code == .notLoggedIn)
            #expect(try await base.load(key) == nil)
        }
        #expect(try await pool.keys(of: subject, at: issuer) == [])
    }

    @Test("a login whose ID token was issued before the end of all sessions ends too; a later one does not")
    func duringLogin() async throws {
        let clock = ManualClock()
        let fixture = try await ProviderFixture(clock: clock)
        let pool = Self.pool(fixture, base)
        let subject = try #require(fixture.provider.configuration.users.first?.subject)
        let issuer = try Issuer(fixture.provider.issuer)
        try await pool.logOut(user: subject, at: issuer)
        func logIn() async throws {
            let pending = try await pool.beginLogin(redirectURI: redirectURI)
            try await pool.completeLogin(pending, callback: DirectUserAgent().visit(pending), for: "a")
        }
        #expect(await authError { try await logIn() }?.code == .notLoggedIn)
        #expect(try await base.load("a") == nil)
        clock.advance(by: .seconds(1))
        try await logIn()
    }

    @Test(
        "the program's own clock decides which login is later, whatever the provider's shows", arguments: [-20.0, 20])
    func clocks(_ difference: Double) async throws {
        let clock = ManualClock()
        let provider = try await OpenIDProvider(clock: WallClock { clock.date.addingTimeInterval(difference) })
        let pool = AuthStatePool(
            NamedClient(.issuer(provider.issuer), id: "app"), store: IndexedAuthStateStore(base),
            service: AuthorizationService { [clock] in $0.clock = WallClock { clock.date } })
        let subject = try #require(provider.configuration.users.first?.subject)
        func logIn() async throws {
            let pending = try await pool.beginLogin(redirectURI: redirectURI)
            try await pool.completeLogin(pending, callback: DirectUserAgent().visit(pending), for: "a")
        }
        try await logIn()
        #expect(try await pool.logOut(user: subject, at: try Issuer(provider.issuer)).ended == ["a"])
        #expect(await authError { try await logIn() }?.code == .notLoggedIn, "in the same moment")
        clock.advance(by: .seconds(1))
        try await logIn()
    }

    @Test func `a store without an index says that it cannot tell a user's sessions`() async throws {
        let pool = AuthStatePool(store: base, service: fixture.service)
        let issuer = try Issuer(fixture.provider.issuer)
        #expect(await authError { try await pool.keys(of: "1", at: issuer) }?.code == .invalidArgument)
        #expect(await authError { try await pool.logOut(user: "1", at: issuer) }?.code == .invalidArgument)
    }
}
