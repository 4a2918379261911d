import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

/// Changes that are not saved yet, and what happens beside them here and in other processes.
struct UnsavedOverlapTests {
    private let store = FaultyStore()

    @Test func `a logout that is cancelled during the save of a renewal is saved by the renewal`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        store.hold(.save, at: gate)
        let caller = Task { try await state.refresh() }
        await gate.arrivals()
        let logout = Task { try await state.clear() }
        logout.cancel()
        try await expectCancelled(logout)
        store.hold(.save, at: nil)
        gate.open()
        #expect(await authError { try await caller.value }?.code == .notLoggedIn)
        #expect(try await store.inner.login() == nil)
        #expect(state.status.storeError == nil && state.isEvictable)
    }

    @Test("a refresh token that could not be saved gives way to one that another process got later")
    func olderRotation() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        store.fail(.save)
        _ = try await mine.freshTokens(RenewalParameters(scopes: ["mail"]))
        #expect(mine.record.refreshToken == "SECRET-refresh-1")
        fixture.clock.advance(by: .seconds(40))
        _ = try await theirs.refresh()
        store.fail()
        try await mine.save()
        #expect(mine.record.refreshToken == "SECRET-refresh-2")
        #expect(mine.status.storeError == nil)
        #expect(try await store.inner.record()?.refreshToken == "SECRET-refresh-2")
    }

    @Test("a renewal that may have been lost in a crash is recorded in the store before anything is sent")
    func crashIsRemembered() async throws {
        let fixture = try Fixture()
        fixture.transport.enqueue(
            .dynamic { _ in
                #expect(try await store.inner.record()?.unconfirmedRenewal != nil)
                throw TransportError(.unreachable, "away", requestMayHaveBeenSent: false)
            })
        store.setAfterCrash(true)
        let state = fixture.state(store: store)
        #expect(await authError { try await state.refresh() }?.kind == .transient)
        #expect(try await store.inner.record()?.unconfirmedRenewal != nil)
        // Space is reserved after this save, which does not use it.
        #expect(store.log.suffix(2) == [.save, .reserve])
        let log = store.log
        try await state.save()
        #expect(store.log == log)
    }

    @Test("tokens that are issued after the death of another holder are not marked, though their first save fails")
    func freshTokensAfterCrash() async throws {
        let fixture = try Fixture()
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        store.setAfterCrash(true)
        fixture.transport.enqueue(
            .dynamic { _ in
                store.failOnce(.save)
                guard case .json(let text, let status) = Fixture.tokens(1) else { throw CancellationError() }
                return TransportResponse(status: status, body: Data(text.utf8))
            })
        try await state.refresh()
        #expect(state.record.unconfirmedRenewal == nil)
        #expect(try await store.inner.record()?.unconfirmedRenewal == nil)
        #expect(try await store.inner.record()?.refreshToken == state.record.refreshToken)
    }

    @Test("a state that cannot be read at the moment is not removed at a logout; one that never can is")
    func unreadableEnd() async throws {
        let fixture = try Fixture()
        try await fixture.state(store: store).setNeedsTokenRefresh()
        let pool = AuthStatePool(store: store, service: fixture.service)
        store.fail(.load)
        #expect(await authError { try await pool.remove(.default) }?.kind == .store)
        let state = fixture.state(store: store)
        #expect(await authError { try await state.clear() }?.kind == .store)
        #expect(try await store.inner.record()?.refreshToken != nil)
        store.setCode(.storeCorrupt)
        store.fail()
        store.failOnce(.load)
        try await pool.remove(.default)
        #expect(try await store.inner.record() == nil)
    }

    @Test func `a change of a grant that another process has ended is not stored`() async throws {
        let fixture = try Fixture()
        let store = InMemoryAuthStateStore()
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store))
        try await mine.setNeedsTokenRefresh()
        try await theirs.clear()
        try await mine.setNeedsTokenRefresh()
        #expect(!mine.isAuthorized && mine.status.storeError == nil)
        #expect(try await store.login() == nil)
    }

    @Test func `run() saves unsaved changes without waiting for the next renewal`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state(store: store)
        store.fail(.save)
        _ = try await state.refresh()
        let service = Task { await state.run() }
        await fixture.clock.sleepers(1)
        #expect(state.status.storeError != nil)
        store.fail()
        fixture.clock.advance(by: .seconds(60))
        try await eventually { state.status.storeError == nil }
        #expect(try await store.inner.record()?.refreshToken == "SECRET-refresh-1")
        service.cancel()
        try await bounded { await service.value }
    }

    private func logInAnew(_ state: AuthState, _ fixture: Fixture, _ token: String = "SECRET-new") async throws {
        try await state.update(with: fixture.response(token))
    }

    @Test func `an unsaved logout does not end a login that came after it in another process`() async throws {
        let fixture = try Fixture()
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        try await mine.setNeedsTokenRefresh()
        store.fail(.save, .delete)
        #expect(await authError { try await mine.clear() }?.kind == .store)
        fixture.clock.advance(by: .seconds(10))
        try await logInAnew(theirs, fixture)
        store.fail()
        try await mine.save()
        #expect(try await store.inner.record()?.accessToken == "SECRET-new")
        #expect(mine.isAuthorized && mine.status.storeError == nil)
    }

    @Test(
        "an unsaved logout ends what another process renewed, and an earlier login, renewed or not",
        arguments: [(false, true), (true, false), (true, true)])
    func logoutStands(_ isLogin: Bool, _ isRenewal: Bool) async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        try await mine.setNeedsTokenRefresh()
        if isLogin { try await logInAnew(theirs, fixture) }
        fixture.clock.advance(by: .seconds(10))
        store.fail(.save, .delete)
        #expect(await authError { try await mine.clear() }?.kind == .store)
        fixture.clock.advance(by: .seconds(10))
        if isRenewal { _ = try await theirs.refresh() }
        store.fail()
        try await mine.save()
        #expect(try await store.inner.record()?.isAuthorized == false)
        #expect(!mine.isAuthorized && mine.status.storeError == nil)
    }

    @Test func `an unsaved login gives way to one that came after it in another process`() async throws {
        let fixture = try Fixture()
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        try await mine.setNeedsTokenRefresh()
        store.fail(.save)
        #expect(await authError { try await logInAnew(mine, fixture, "SECRET-mine") }?.kind == .store)
        #expect(await authError { try await mine.setNeedsTokenRefresh() }?.kind == .store)
        fixture.clock.advance(by: .seconds(10))
        try await logInAnew(theirs, fixture)
        store.fail()
        try await mine.save()
        #expect(try await store.inner.record()?.accessToken == "SECRET-new")
        #expect(mine.record.accessToken == "SECRET-new" && !mine.record.needsTokenRefresh)
        #expect(mine.status.storeError == nil)
    }

    @Test func `an unsaved login stands before an earlier one, even when that has been renewed since`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        try await mine.setNeedsTokenRefresh()
        try await logInAnew(theirs, fixture)
        fixture.clock.advance(by: .seconds(10))
        store.fail(.save)
        #expect(await authError { try await logInAnew(mine, fixture, "SECRET-mine") }?.kind == .store)
        fixture.clock.advance(by: .seconds(10))
        _ = try await theirs.refresh()
        store.fail()
        try await mine.save()
        #expect(try await store.inner.record()?.accessToken == "SECRET-mine")
        #expect(mine.record.accessToken == "SECRET-mine" && mine.status.storeError == nil)
    }

    @Test func `an unsaved change is not applied to an older copy that is put back`() async throws {
        var fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
        fixture.record.grantID = "grant"
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        let copy = try #require(try await store.inner.load(.default)).archive
        _ = try await state.freshTokens()
        store.fail(.save)
        #expect(await authError { try await state.setNeedsTokenRefresh() }?.kind == .store)
        try await store.inner.withLease(.default, deadline: .zero) { lease in
            _ = try await lease.save(copy, expecting: try await lease.load()?.version)
        }
        store.fail()
        try await state.save()
        #expect(try await store.inner.record()?.refreshToken == "SECRET-refresh-1")
        #expect(try await state.freshTokens().accessToken == "SECRET-access-2")
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-1"])
    }

    @Test func `a refused token that was renewed elsewhere leaves nothing to be saved`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let store = InMemoryAuthStateStore()
        let theirs = fixture.state(store: store)
        try await theirs.setNeedsTokenRefresh()
        let mine = try await AuthState.restore(at: fixture.place(ReadOnlyAuthStateStore(store)))
        let refusal = AuthStateError(.tokenRejected, stage: .resource, "refused")
        #expect(await authError { try await mine.commit(.tokenRefused("SECRET-access-0", refusal)) }?.kind == .store)
        #expect(mine.authorizationError != nil)
        _ = try await theirs.refresh()
        #expect(try await mine.freshTokens().accessToken == "SECRET-access-1")
        #expect(mine.status.storeError == nil)
    }
}
