import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

@Suite(.timeLimit(.minutes(5))) struct KeychainFailureTests {
    let device = FakeDevice()
    let store: KeychainAuthStateStore

    init() { store = device.store() }

    static let statuses: [(KeychainStatus, AuthStateError.Code?, String)] = [
        (.interactionNotAllowed, .deviceLocked, "errSecInteractionNotAllowed (OSStatus -25308)"),
        (.notAvailable, .deviceLocked, "errSecNotAvailable (OSStatus -25291)"),
        (.upgradePending, .deviceLocked, "errSecUpgradePending (OSStatus -34019)"),
        (.missingEntitlement, nil, "errSecMissingEntitlement (OSStatus -34018)"),
        (.authFailed, nil, "errSecAuthFailed (OSStatus -25293)"),
        (.userCanceled, nil, "errSecUserCanceled (OSStatus -128)"),
        (.decode, nil, "errSecDecode (OSStatus -26275)"),
        (.diskFull, nil, "errSecDiskFull (OSStatus -34)"),
        (.parameter, nil, "errSecParam (OSStatus -50)"),
        (KeychainStatus(rawValue: -12345), nil, "OSStatus -12345"),
    ]

    @Test("each refusal of a call says its number and what to do, and changes nothing", arguments: statuses)
    func refusals(_ status: KeychainStatus, _ code: AuthStateError.Code?, _ text: String) async throws {
        func expect(
            _ fallback: AuthStateError.Code, _ call: FakeDevice.Call, times: Int = 1, _ body: () async throws -> Void
        ) async throws {
            device.fail(call, status, times: times)
            let error = try await expectStoreError(code ?? fallback) { try await body() }
            #expect(error.message.contains(text), "\(error.message)")
            #expect(error.kind == .store)
        }
        try await expect(.storeUnwritable, .add) { try await store.put("one") }
        #expect(device.items.isEmpty)
        let version = try await store.put("one")
        try await expect(.storeUnreadable, .copyMatching) { _ = try await store.load(.default) }
        try await expect(.storeUnwritable, .update) { try await store.put("two") }
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            _ = try await lease.load()
            try await expect(.storeUnwritable, .update) { try await lease.reserve() }
            try await expect(.storeUnwritable, .delete) { try await lease.delete(expecting: version) }
            try await expect(.storeUnwritable, .delete) { try await lease.discard() }
        }
        try await expect(.storeUnwritable, .delete) { try await store.removeAll() }
        try await store.withLease("empty", deadline: .seconds(1)) { lease in
            _ = try await lease.load()
            try await expect(.storeUnwritable, .add) { try await lease.reserve() }
            try await expect(.storeUnwritable, .delete) { try await lease.reserve() }
        }
        #expect(try await store.load(.default) == StoredAuthState(archive: Data("one".utf8), version: version))
    }

    @Test("before the first unlock nothing can be read or written, and afterwards all is there")
    func beforeFirstUnlock() async throws {
        try await store.put("one")
        device.set(.beforeFirstUnlock)
        let error = try await expectStoreError(.deviceLocked) { _ = try await store.load(.default) }
        #expect(error.message.contains("locked") && error.hint?.contains("unlocked") == true)
        try await expectStoreError(.deviceLocked) { try await store.put("two") }
        try await expectStoreError(.deviceLocked) { try await store.put("two", "new") }
        try await store.withLease("new", deadline: .seconds(1)) { lease in
            _ = try await expectStoreError(.deviceLocked) { try await lease.reserve() }
        }
        device.set(.unlocked)
        #expect(try await store.text() == "one")
        #expect(device.items.count == 1)
    }

    @Test("while the device is locked again, only items that need an unlocked device are out of reach")
    func locked() async throws {
        let strict = device.store(accessibility: .whenUnlockedThisDeviceOnly)
        try await strict.put("one", "strict")
        device.set(.locked)
        try await store.put("one")
        try await store.put("two")
        #expect(try await store.text() == "two")
        try await expectStoreError(.deviceLocked) { _ = try await strict.load("strict") }
        try await expectStoreError(.deviceLocked) { try await strict.put("one", "new") }
    }

    @Test("an access group that the entitlement does not name is refused, with what to do")
    func accessGroup() async throws {
        let stranger = device.store(accessGroup: "TEAM.shared", groups: ["TEAM.other"])
        let error = try await expectStoreError(.storeUnwritable) {
            try await stranger.withLease("a", deadline: .seconds(1)) { lease in
                _ = try await lease.save(Data(), expecting: nil)
            }
        }
        #expect(error.message.contains("-34018") && error.hint?.contains("Keychain Sharing") == true)
        try await expectStoreError(.storeUnreadable) { _ = try await stranger.load("a") }
    }

    @Test func `an extension reads what the app keeps in their group, and nothing of the app's own`() async throws {
        let app = device.store(accessGroup: "TEAM.shared")
        let keys = device.store(accessGroup: "TEAM.shared", groups: ["TEAM.extension", "TEAM.shared"])
        let own = device.store(groups: ["TEAM.extension", "TEAM.shared"])
        try await app.put("shared")
        try await store.put("private", "private")
        #expect(try await keys.text() == "shared")
        #expect(try await own.text("private") == nil)
    }

    @Test("a save whose answer was lost is recognised by the next save", arguments: [false, true])
    func lostAnswer(isFirst: Bool) async throws {
        if !isFirst { try await store.put("one") }
        device.fail(isFirst ? .add : .update, .parameter, afterEffect: true)
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            let before = try await lease.load()?.version
            try await expectStoreError(.storeUnwritable) {
                _ = try await lease.save(Data("two".utf8), expecting: before)
            }
            let version = try await lease.save(Data("two".utf8), expecting: before)
            #expect(try await lease.load()?.version == version)
        }
    }

    @Test func `a name that is taken by an item that cannot be found is reported, without a loop`() async throws {
        device.fail(.add, .duplicateItem)
        #expect(try await expectStoreError(.storeUnwritable) { try await store.put("one") }.message.contains("-25299"))
    }

    @Test("a save to a keychain that hangs times out; it may be done later, and the lease lasts until then")
    func hanging() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let store = device.store(clock: clock)
        try await store.put("one")
        device.interrupt(.update) { gate.pass() }
        let hanging = Task { try await store.put("two") }
        try await eventually { gate.count == 1 }
        #expect(try await store.text() == "one")
        let waiting = Task {
            try await store.withLease(.default, deadline: .seconds(10_000_000)) { try await $0.load() }
        }
        clock.advance(by: .seconds(30))
        // The end of the lease waits for the call, too.
        try await clock.advance(until: hanging)
        let error = try await expectStoreError(.storeUnwritable) { _ = try await hanging.value }
        #expect(error.hint?.contains("load again") == true)
        gate.open()
        #expect(try await waiting.value.map { text($0.archive) } == "two")
    }

    @Test func `a load that hangs times out`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let store = device.store(clock: clock)
        device.interrupt(.copyMatching) { gate.pass() }
        let hanging = Task { try await store.load(.default) }
        try await eventually { gate.count == 1 }
        try await clock.advance(until: hanging)
        try await expectStoreError(.storeUnreadable) { _ = try await hanging.value }
        gate.open()
    }
}
