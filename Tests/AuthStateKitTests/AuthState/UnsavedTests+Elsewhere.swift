import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// Changes that are not saved yet, or were saved unnoticed, beside the logins and renewals of other processes.
struct UnsavedElsewhereTests {
    private let store = FaultyStore()

    @Test("a login whose save failed after it had been written does not undo what another process renewed since")
    func writtenAfterAll() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let mine = fixture.state(store: store)
        store.failAfterSaving(thenLoads: true)
        let login = fixture.response("SECRET-login", refreshToken: "SECRET-refresh-0")
        #expect(await authError { try await mine.update(with: login) }?.kind == .store)
        let theirs = try await AuthState.restore(at: fixture.place(store.inner))
        _ = try await theirs.refresh()
        store.fail()
        try await mine.save()
        #expect(try await store.inner.record()?.refreshToken == "SECRET-refresh-1")
        #expect(mine.record.refreshToken == "SECRET-refresh-1" && mine.status.storeError == nil)
    }

    @Test func `the later of two refresh tokens stands when both came with tokens for another scope`() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        store.fail(.save)
        _ = try await mine.freshTokens(RenewalParameters(scopes: ["mail"]))
        fixture.clock.advance(by: .seconds(40))
        _ = try await theirs.freshTokens(RenewalParameters(scopes: ["mail"]))
        store.fail()
        try await mine.save()
        #expect(mine.record.refreshToken == "SECRET-refresh-2" && mine.status.storeError == nil)
        #expect(try await store.inner.record()?.refreshToken == "SECRET-refresh-2")
    }

    @Test("tokens of a login here stand alone when another process has logged in meanwhile", arguments: [true, false])
    func tokensOfOurs(isCodeSaved: Bool) async throws {
        let fixture = try Fixture()
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        try await mine.setNeedsTokenRefresh()
        try await theirs.reload()
        var request = AuthorizationRequest(Client(fixture.record.client.provider, id: "client"))
        request.redirectURI = try RedirectURI("app:/callback")
        let callback = try AuthorizationCallback(
            url: #require(URL(string: "app:/callback?code=SECRET-code&state=\(request.state)")))
        let answer = try AuthorizationResponse(callback: callback, for: request)
        if !isCodeSaved { store.fail(.save) }
        try? await mine.update(with: answer)
        store.fail()
        fixture.clock.advance(by: .seconds(10))
        try await theirs.update(with: fixture.response("SECRET-theirs", refreshToken: "SECRET-refresh-theirs"))
        fixture.clock.advance(by: .seconds(10))
        try await mine.update(with: fixture.response("SECRET-mine"))
        for record in [mine.record, try #require(try await store.inner.record())] {
            #expect(record.accessToken == "SECRET-mine" && record.refreshToken == nil)
            #expect(record.lastAuthorizationResponse?.request.state == request.state)
        }
    }

    @Test(
        "a login that could not be saved ends with the stored state, unless it may be later than the removal",
        arguments: [(FaultyStore.Operation.save, false), (.load, true)])
    func removedElsewhere(_ failing: FaultyStore.Operation, _ isKept: Bool) async throws {
        let fixture = try Fixture()
        let mine = fixture.state(store: store)
        try await mine.setNeedsTokenRefresh()
        store.fail(failing)
        fixture.clock.advance(by: .seconds(1))
        let login = fixture.response("SECRET-login", refreshToken: "SECRET-refresh-login")
        #expect(await authError { try await mine.update(with: login) }?.kind == .store)
        try await store.inner.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.delete(expecting: lease.load()?.version)
        }
        store.fail()
        try? await mine.save()
        #expect(mine.isAuthorized == isKept)
        #expect(try await store.inner.record()?.refreshToken == (isKept ? "SECRET-refresh-login" : nil))
    }

    @Test("granted tokens are saved although their caller was cancelled")
    func cancelled() async throws {
        let fixture = try Fixture()
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        let tokens = fixture.response("SECRET-late", refreshToken: "SECRET-refresh-late")
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await state.update(with: tokens)
        }
        try await caller.value
        #expect(try await store.record()?.refreshToken == "SECRET-refresh-late" && state.status.storeError == nil)
    }

    @Test func `a login does not replace a state that it cannot read, also at the second try`() async throws {
        let fixture = try Fixture()
        let store = InMemoryAuthStateStore()
        let newer = Data(#"{"format":1000,"state":{}}"#.utf8)
        fixture.transport.enqueue(
            .dynamic { _ in
                try await store.withLease(.default, deadline: .seconds(1)) {
                    _ = try await $0.save(newer, expecting: nil)
                }
                return TransportResponse(
                    status: 200, body: Data(#"{"access_token":"SECRET-1","token_type":"Bearer"}"#.utf8))
            })
        let state = try await AuthState.logIn(
            .clientCredentials(
                Client(fixture.record.client.provider, id: "service", credential: .secret("SECRET-client"))),
            at: fixture.place(store))
        #expect(state.status.storeError?.code == .storeTooNew && state.tokensIfFresh() != nil)
        #expect(await authError { try await state.save() }?.code == .storeTooNew)
        #expect(try await store.load(.default)?.archive == newer)
    }
}
