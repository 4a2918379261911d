import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is not saved yet, and what happens beside it here and in other processes.
@Suite("What could not be saved, and what happens meanwhile")
struct UnsavedOverlapTests {
    private func stored(_ store: InMemoryAuthStateStore) async throws -> AuthState.Record? {
        try await store.load(.default).map { try AuthStateArchive(data: $0.archive).record }
    }

    @Test("a logout that was given up during the save of a renewal still counts as not saved")
    func logoutDuringSave() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        store.holdSaves(at: gate)
        let caller = Task { try await state.refresh() }
        await gate.arrivals()
        let logout = Task { try await state.clear() }
        logout.cancel()
        try await expectCancelled(logout)
        store.holdSaves(at: nil)
        gate.open()
        #expect(await authError { try await caller.value }?.code == .notLoggedIn)
        #expect(try await stored(store.inner)?.isAuthorized == true)
        #expect(state.current.storeError != nil && !state.isForgettable)
        try await state.save()
        #expect(try await stored(store.inner)?.isAuthorized == false)
        #expect(state.current.storeError == nil)
    }
}
