import AuthStateFoundation
import AuthStateStorage
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct UnsavedTests {
    private let store = FaultyStore()
    private func login(_ fixture: Fixture, _ store: FaultyStore) async throws -> AuthState {
        try await AuthState.logIn(
            .clientCredentials(
                Client(fixture.record.client.provider, id: "service", credential: .secret("SECRET-client"))),
            at: fixture.place(store))
    }

    @Test func `tokens whose last save fails are kept, and saved when asked`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        store.fail(.save)
        let state = try await login(fixture, store)
        #expect(state.status.storeError?.code == .storeUnwritable)
        #expect(state.tokensIfFresh()?.accessToken == "SECRET-access-1")
        #expect(await authError { try await state.save() }?.code == .storeUnwritable)
        store.fail()
        try await state.save()
        #expect(state.status.storeError == nil)
        let stored = try #require(try await store.inner.load(.default))
        #expect(try AuthStateArchive(data: stored.archive).record.accessToken == "SECRET-access-1")
        #expect(try AuthStateArchive(data: stored.archive).record.client.id == "service")
    }

    @Test func `an unsaved login is saved over the state of another client that was stored before`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        try await fixture.state(store: store).setNeedsTokenRefresh()
        store.fail(.save)
        let state = try await login(fixture, store)
        try await fixture.state(store: store.inner).setNeedsTokenRefresh()
        store.fail()
        try await state.save()
        let record = try #require(try await store.inner.record())
        #expect(record.client.id == "service")
        #expect(record.clientCredentials != nil)
        #expect(record.refreshToken == nil)
    }

    @Test func `a renewal whose save fails once is saved at the second try`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state(store: store)
        store.failOnce(.save)
        _ = try await state.refresh()
        #expect(state.status.storeError == nil)
        #expect(try await store.inner.record()?.refreshToken == "SECRET-refresh-1")
    }

    @Test func `draining saves unsaved changes, and reports when it still cannot`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state(store: store)
        store.fail(.save)
        _ = try await state.refresh()
        await state.drain()
        #expect(state.status.storeError != nil)
        store.fail()
        await state.drain()
        #expect(state.status.storeError == nil)
        #expect(try await store.inner.load(.default) != nil)
    }

    @Test func `saving without changes does not use the store`() async throws {
        let fixture = try Fixture()
        try await fixture.state(store: store).save()
        #expect(store.log.isEmpty)
    }

    @Test func `a renewal that lost its lease is saved on top of what was stored meanwhile`() async throws {
        let fixture = try Fixture()
        let store = InMemoryAuthStateStore()
        let (mine, theirs) = (fixture.state(store: Leaseless(store)), fixture.state(store: store))
        try await mine.setNeedsTokenRefresh()
        fixture.transport.enqueue(
            .dynamic { _ in
                try await theirs.setNeedsTokenRefresh()
                return TransportResponse(
                    status: 200,
                    body: Data(#"{"access_token":"SECRET-1","token_type":"Bearer","refresh_token":"SECRET-r1"}"#.utf8))
            })
        #expect(try await mine.freshTokens().accessToken == "SECRET-1")
        #expect(mine.status.storeError == nil)
        #expect(try await store.record()?.refreshToken == "SECRET-r1")
    }

    @Test func `the later of two renewals of one grant stands when a lease was lost`() async throws {
        let fixture = try Fixture()
        let store = InMemoryAuthStateStore()
        let (mine, theirs) = (fixture.state(store: Leaseless(store)), fixture.state(store: store))
        try await mine.setNeedsTokenRefresh()
        fixture.transport.enqueue(
            .dynamic { _ in
                // This renewal stalls, and another process renews after it.
                let answer = TransportResponse(
                    status: 200,
                    body: Data(#"{"access_token":"SECRET-1","token_type":"Bearer","refresh_token":"SECRET-r1"}"#.utf8))
                fixture.clock.advance(by: .seconds(40))
                _ = try await theirs.refresh()
                return answer
            })
        fixture.transport.enqueue(Fixture.tokens(2))
        _ = try await mine.freshTokens()
        #expect(mine.record.refreshToken == "SECRET-refresh-2")
        #expect(try await mine.freshTokens().accessToken == "SECRET-access-2")
        #expect(try await store.record()?.refreshToken == "SECRET-refresh-2")
    }

    @Test("a later rotation stands when a lease was lost, although the ID token of the earlier one fails after it")
    func laterRotationStands() async throws {
        var fixture = try Fixture()
        let idToken = try JSONWebToken.sign(claims: ["sub": "alice"], with: SigningKey.generate(.es256, keyID: "k"))
        let store = InMemoryAuthStateStore()
        fixture.record.client.provider.issuer = try Issuer("https://op.example")
        fixture.record.client.provider.jwksURI = URL(string: "https://op.example/keys")
        let (mine, theirs) = (fixture.state(store: Leaseless(store)), fixture.state(store: store))
        try await mine.setNeedsTokenRefresh()
        fixture.transport.enqueue(
            .json(
                #"{"access_token":"SECRET-1","token_type":"Bearer","refresh_token":"SECRET-r1","id_token":"\#(idToken)"}"#
            ))
        fixture.transport.enqueue(
            .dynamic { [clock = fixture.clock] _ in
                clock.advance(by: .seconds(40))
                _ = try await theirs.refresh()
                clock.advance(by: .seconds(1))
                return TransportResponse(status: 503)
            })
        fixture.transport.enqueue(Fixture.tokens(2))
        _ = await authError { try await mine.freshTokens() }
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-r1"])
        #expect(mine.record.refreshToken == "SECRET-refresh-2")
        #expect(try await store.record()?.refreshToken == "SECRET-refresh-2")
    }

    @Test func `a provider's Retry-After is honoured for up to an hour`() async throws {
        let busy = TransportResponse(status: 503, headers: ["Retry-After": "600"])
        let fixture = try Fixture([.response(busy), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.retryAfter == .seconds(600))
        fixture.clock.advance(by: .seconds(590))
        #expect(await authError { try await state.freshTokens() }?.retryAfter == .seconds(10))
        #expect(fixture.transport.requests.count == 1)
        fixture.clock.advance(by: .seconds(10))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test func `a pause that begins in the future shows that the clock was set back, and is over`() async throws {
        let busy = TransportResponse(status: 503, headers: ["Retry-After": "600"])
        let fixture = try Fixture([.response(busy), Fixture.tokens(1)], lifetime: 1)
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        _ = await authError { try await state.freshTokens() }
        fixture.clock.advance(by: .seconds(-100))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }
}

/// A store whose lease excludes no other holder, like a lease that ended too early.
private struct Leaseless: AuthStateStore {
    var mayBeWrittenByOthers: Bool { false }
    let inner: InMemoryAuthStateStore
    init(_ inner: InMemoryAuthStateStore) { self.inner = inner }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await inner.load(key) }
    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R { try await body(Lease(store: inner, key: key)) }

    private struct Lease: AuthStateLease {
        let store: InMemoryAuthStateStore
        let key: AuthStateKey
        private func briefly<R: Sendable>(
            _ body: @Sendable (any AuthStateLease) async throws -> R
        ) async throws -> R { try await store.withLease(key, deadline: .seconds(1)) { try await body($0) } }
        func load() async throws -> StoredAuthState? { try await store.load(key) }
        func reserve() async throws {}
        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try await briefly { try await $0.save(archive, expecting: expecting) }
        }
        func delete(expecting: StoredAuthState.Version?) async throws {
            try await briefly { try await $0.delete(expecting: expecting) }
        }
    }
}
