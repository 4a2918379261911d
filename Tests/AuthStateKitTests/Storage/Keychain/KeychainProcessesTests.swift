import AuthStateJOSE
import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

/// Two processes on one keychain: no lock of one keeps the other out.
@Suite(.timeLimit(.minutes(5))) struct KeychainProcessesTests {
    let device = FakeDevice()
    let app: KeychainAuthStateStore
    let other: KeychainAuthStateStore

    init() {
        app = device.store(accessGroup: "TEAM.shared")
        other = device.store(accessGroup: "TEAM.shared", groups: ["TEAM.extension", "TEAM.shared"])
    }

    @Test("one of two saves over the same version is a conflict, a first save too", arguments: [true, false])
    func compareAndSwap(isFirst: Bool) async throws {
        if !isFirst { try await app.put("zero") }
        try await app.withLease(.default, deadline: .seconds(1)) { lease in
            let seen = try await lease.load()?.version
            try await other.put("theirs")
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("ours".utf8), expecting: seen) }
            try await expectStoreError(.storeConflict) { try await lease.delete(expecting: seen) }
        }
        #expect(try await app.text() == "theirs")
    }

    @Test("a call sees what another process saved or removed since the reading", arguments: [0, 1])
    func between(_ removal: Int) async throws {
        try await app.put("zero")
        try await app.withLease(.default, deadline: .seconds(1)) { lease in
            let seen = try await lease.load()?.version
            device.interrupt(.update) {
                device.tamper { items in
                    if removal == 1 { items = [] } else { items[0].generic = Data("theirs".utf8) }
                }
            }
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("ours".utf8), expecting: seen) }
        }
        #expect(device.items.count == 1 - removal)
    }

    @Test func `after a conflict the current content is read, also by a lease that had not read before`() async throws {
        try await app.put("zero")
        try await app.withLease(.default, deadline: .seconds(1)) { lease in
            try await other.put("theirs")
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("ours".utf8), expecting: nil) }
            let found = try await lease.load()
            #expect(found?.archive == Data("theirs".utf8))
        }
    }

    @Test("nothing is reserved for a version that another process replaced: no old refresh token is spent")
    func reserving() async throws {
        try await app.put("zero")
        try await app.withLease(.default, deadline: .seconds(1)) { lease in
            _ = try await lease.load()
            try await other.put("theirs")
            try await expectStoreError(.storeConflict) { try await lease.reserve() }
            _ = try await lease.load()
            try await lease.reserve()
        }
    }

    @Test func `a reservation where nothing is stored leaves nothing behind, and ignores what was left`() async throws {
        device.put(
            KeychainAttributes(
                service: "com.example.app (probe)", account: "default", accessGroup: "TEAM.shared", comment: "kept",
                accessible: .afterFirstUnlockThisDeviceOnly, data: Data([0])))
        for _ in 0..<2 {
            try await app.withLease(.default, deadline: .seconds(1)) { try await $0.reserve() }
            #expect(device.items.isEmpty)
        }
        #expect(device.misuse.isEmpty)
    }

    @Test func `the next processes learn of one that ended between reserve and save, until one saves`() async throws {
        func followsCrash(_ store: KeychainAuthStateStore) async throws -> Bool {
            try await store.withLease(.default, deadline: .seconds(1)) { $0.followsCrash }
        }
        try await app.put("one")
        try await app.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.reserve()
            // Seen from outside, the process has ended here.
            #expect(try await followsCrash(other))
            _ = try await lease.save(Data("two".utf8), expecting: try await lease.load()?.version)
            let heardAfterSave = try await followsCrash(other)
            #expect(!heardAfterSave)
            try await lease.reserve()
        }
        // The transaction was given up, but its process lives: there is nothing to report.
        #expect(try await !followsCrash(other))
        device.tamper { $0[0].comment = "redeeming" }
        #expect(try await followsCrash(app))
        #expect(try await followsCrash(app))
        try await app.put("three")
        #expect(try await !followsCrash(app))
    }

    @Test("a token that was refreshed just as another process saved is not lost: it is saved on top")
    func conflictAfterRedeem() async throws {
        let device = device
        let fixture = try Fixture([
            .dynamic { _ in
                // Between our reservation and our save.
                device.tamper { items in items[0].generic = Data("theirs".utf8) }
                return Self.tokens
            }
        ])
        let state = fixture.state(store: app)
        try await state.setNeedsTokenRefresh()
        let stored = try #require(try await app.load(.default))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        #expect(state.status.storeError == nil)
        let now = try #require(try await other.load(.default))
        #expect(now.version != stored.version)
        #expect(try AuthStateArchive(data: now.archive).record.refreshToken == "SECRET-refresh-1")
    }

    @Test("an app that is ended while it renews tries the token once more, and a refusal says what happened")
    func endedWhileRenewing() async throws {
        let device = device
        let image = Lock<[KeychainAttributes]>([])
        let first = try Fixture([
            .dynamic { _ in
                // The items in the keychain when the system ends the app here.
                image.withLock { $0 = device.items }
                return Self.tokens
            }
        ])
        let state = first.state(store: app)
        try await state.setNeedsTokenRefresh()
        _ = try await state.freshTokens()

        let second = try Fixture([Fixture.error("invalid_grant")])
        device.tamper { $0 = image.withLock { $0 } }
        let next = try await AuthState.restore(
            at: AuthState.Place(other, service: second.service, options: second.options))
        let error = await authError { try await next.freshTokens() }
        #expect(second.spent == ["SECRET-refresh-0"])
        #expect(error?.kind == .reauthenticationRequired && error?.message.contains("was lost on its way") == true)
    }

    private static let tokens = TransportResponse(
        status: 200, headers: ["Content-Type": "application/json"],
        body: Data(
            #"{"access_token":"SECRET-access-1","token_type":"Bearer","expires_in":3600,"refresh_token":"SECRET-refresh-1"}"#
                .utf8))

    @Test("an extension that only reads adopts what the app renewed, and never spends a token")
    func readOnly() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let owner = fixture.state(store: app)
        try await owner.setNeedsTokenRefresh()
        let reader = try await AuthState.restore(
            at: AuthState.Place(
                ReadOnlyAuthStateStore(other, renewedBy: "the app"), service: fixture.service,
                options: fixture.options))
        #expect(await authError { try await reader.freshTokens() }?.code == .storeReadOnly)
        _ = try await owner.freshTokens()
        // The keychain reports no changes: it is read after a second.
        fixture.clock.advance(by: .seconds(2))
        #expect(try await reader.freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0"])
    }

    @Test func `a logout by the app is noticed by the extension after a second, not after a minute`() async throws {
        let fixture = try Fixture()
        _ = try await app.put(text(AuthStateArchive(fixture.record).data()))
        let reader = try await AuthState.restore(at: fixture.place(ReadOnlyAuthStateStore(other)))
        #expect(try await reader.freshTokens().accessToken == "SECRET-access-0")
        try await AuthState.remove(from: app)
        fixture.clock.advance(by: .seconds(2))
        #expect(await authError { try await reader.freshTokens() }?.kind == .reauthenticationRequired)
    }
}
