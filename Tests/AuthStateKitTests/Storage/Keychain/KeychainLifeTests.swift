import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit

/// A login at the provider in the process, kept in the keychain.
@Suite(.timeLimit(.minutes(5))) struct KeychainLifeTests {
    let device = FakeDevice()
    let fixture: ProviderFixture

    init() async throws { fixture = try await ProviderFixture() }

    private func logIn(_ store: KeychainAuthStateStore) async throws -> AuthState {
        try await AuthState.logIn(
            .browser(fixture.request([.openID, .offlineAccess]), DirectUserAgent()),
            at: AuthState.Place(store, key: "ada", service: fixture.service))
    }

    /// The state that the next start of the app finds.
    private func restore() async throws -> AuthState {
        try await AuthState.restore(at: AuthState.Place(device.store(), key: "ada", service: fixture.service))
    }

    @Test("a login is renewed, restored, renewed again, refused, replaced by a new login and logged out")
    func life() async throws {
        let store = device.store()
        let state = try await logIn(store)
        let first = try #require(state.record.refreshToken)
        _ = try await state.refresh()
        let second = try #require(state.record.refreshToken)
        #expect(second != first)

        let restored = try await restore()
        #expect(restored.record.refreshToken == second)
        _ = try await restored.refresh()
        #expect(try await restore().record.refreshToken == restored.record.refreshToken)

        fixture.provider.revokeGrants()
        #expect(await authError { try await restored.refresh() }?.code == .invalidGrant)
        #expect(try await restore().authorizationError?.code == .invalidGrant)

        let again = try await logIn(device.store())
        #expect(try await restore().isAuthorized)
        #expect(await again.logOut(.everywhere()).removal == .done)
        #expect(try await device.store().login() == nil)
        #expect(await authError { try await restore() }?.code == .notLoggedIn)
        #expect(device.misuse.isEmpty)
    }

    @Test("while the device is locked no refresh token is sent, live tokens are served, and the login stays")
    func lockedRenewal() async throws {
        let state = try await logIn(device.store(accessibility: .whenUnlockedThisDeviceOnly))
        let requests = fixture.provider.requestCount(.token)
        device.set(.locked)
        #expect(await authError { try await state.refresh() }?.code == .deviceLocked)
        #expect(fixture.provider.requestCount(.token) == requests)
        #expect(try await !state.freshTokens().accessToken.isEmpty)
        #expect(state.isAuthorized)
        #expect(await authError { try await restore() }?.code == .deviceLocked)
        device.set(.unlocked)
        _ = try await state.refresh()
        #expect(fixture.provider.requestCount(.token) == requests + 1)
    }

    @Test("a device that is locked while the provider answers: the tokens stay in memory, and are saved once it can be")
    func lockedBeforeSave() async throws {
        let state = try await logIn(device.store(accessibility: .whenUnlockedThisDeviceOnly))
        let before = try #require(state.record.refreshToken)
        let device = device
        fixture.provider.injectFaults(at: .token) { _ in
            device.set(.locked)
            return nil
        }
        let tokens = try await state.refresh()
        #expect(state.status.storeError?.code == .deviceLocked)
        #expect(try await state.freshTokens().accessToken == tokens.accessToken)
        device.set(.unlocked)
        fixture.provider.removeFaults()
        #expect(try await restore().record.refreshToken == before)
        try await state.save()
        #expect(state.status.storeError == nil)
        let saved = try await restore()
        #expect(saved.record.refreshToken == state.record.refreshToken)
        _ = try await saved.refresh()
    }

    @Test func `a login on a device that cannot keep it sends nothing to the provider`() async throws {
        device.set(.beforeFirstUnlock)
        #expect(await authError { try await logIn(device.store()) }?.code == .deviceLocked)
        #expect(fixture.provider.requestCount(.authorization) == 0)
    }

    @Test("a pending login is kept beside the finished one, under a key of its own")
    func pending() async throws {
        let store = device.store()
        _ = try await logIn(store)
        var request = fixture.request()
        request.redirectURI = try RedirectURI("com.example.app:/callback")
        let pending = try await fixture.service.begin(request)
        let archive = try JSONEncoder().encode(pending)
        try await store.withLease("pending", deadline: .seconds(1)) { lease in
            _ = try await lease.save(archive, expecting: nil)
        }
        let found = try #require(try await device.store().load("pending"))
        #expect(try JSONDecoder().decode(PendingAuthorization.self, from: found.archive).url == pending.url)
        #expect(device.items.count == 2)
    }
}
