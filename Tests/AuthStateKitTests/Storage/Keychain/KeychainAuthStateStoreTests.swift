import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

@Suite(.timeLimit(.minutes(5))) struct KeychainAuthStateStoreTests {
    let device = FakeDevice()
    let store: KeychainAuthStateStore
    /// Another process on the same keychain.
    let other: KeychainAuthStateStore

    init() {
        store = device.store()
        other = device.store()
    }

    @Test("a saved state is loaded under its own key only, by another process too")
    func roundTrip() async throws {
        let version = try await store.put("one", "a")
        #expect(try await store.load("a") == StoredAuthState(archive: Data("one".utf8), version: version))
        #expect(try await other.load("a")?.version == version)
        #expect(try await store.load("b") == nil)
        #expect(device.misuse.isEmpty)
    }

    @Test("an item stays on this device and is readable from the first unlock on, unless asked otherwise")
    func defaults() async throws {
        try await store.put("one", "a")
        let item = try #require(device.items.first)
        #expect(item.service == "com.example.app" && item.account == "a" && item.accessGroup == "TEAM.app")
        #expect(item.accessible == .afterFirstUnlockThisDeviceOnly)
        // Items that are there already are changed by their next save.
        try await device.store(accessibility: .whenUnlocked).put("two", "a")
        #expect(device.items.map(\.accessible) == [.whenUnlocked])
    }

    @Test("any text is a key", arguments: ["../x", "", "é\n", "a\0b", "👩‍💻", String(repeating: "long", count: 25_000)])
    func names(key: String) async throws {
        try await store.put(key, AuthStateKey(rawValue: key))
        #expect(try await store.text(AuthStateKey(rawValue: key)) == key)
    }

    @Test func `two stores of one process share their leases`() async throws {
        let service = "com.example.\(UInt64.random(in: 0...UInt64.max))"
        let keychain = FakeKeychain(device: device)
        let first = KeychainAuthStateStore(keychain, service: service)
        let second = KeychainAuthStateStore(keychain, service: service, clock: JumpingClock())
        try await first.withLease("a", deadline: .seconds(1)) { _ in
            _ = try await expectStoreError(.storeLocked) { try await second.put("no", "a") }
            try await second.put("yes", "b")
        }
        try await second.put("free again", "a")
    }

    @Test func `no version comes back, not even with the same content`() async throws {
        var versions: Set<StoredAuthState.Version> = []
        for _ in 0..<10 {
            versions.insert(try await store.put("one"))
            versions.insert(try await store.put("two"))
            try await AuthState.remove(from: store)
        }
        #expect(versions.count == 20)
    }

    @Test func `a delete, and a transaction that saves nothing, leave no item behind`() async throws {
        let version = try await store.put("one")
        try await store.withLease(.default, deadline: .seconds(1)) { try await $0.delete(expecting: version) }
        try await store.withLease(.default, deadline: .seconds(1)) { try await $0.reserve() }
        #expect(device.items.isEmpty && device.misuse.isEmpty)
    }

    @Test("a save always leaves an item stored: it is added once, then updated in place")
    func noWindow() async throws {
        try await store.put("one")
        let before = device.calls.count
        try await store.put("two")
        try await store.put("three")
        #expect(device.calls.dropFirst(before).allSatisfy { $0 == .update || $0 == .copyMatching })
        #expect(device.calls.count { $0 == .add } == 1)
    }

    @Test("a save that was begun is finished although its task is cancelled")
    func cancelled() async throws {
        let gate = Gate()
        device.interrupt(.add) { gate.pass() }
        let saving = Task { try await store.put("one") }
        try await eventually { gate.count == 1 }
        saving.cancel()
        gate.open()
        _ = try await saving.value
        #expect(try await store.text() == "one")
    }

    @Test("changes of this process show at once, a reading and a reservation do not; those of others are looked for")
    func watch() async throws {
        let watch = try #require(await store.watch("a"))
        #expect(!watch.showsOtherProcesses)
        let empty = watch.generation
        try await store.put("one", "a")
        let saved = watch.generation
        #expect(saved != empty)
        try await AuthState.remove(from: store, key: "a")
        #expect(watch.generation != saved)
        // Another test's key may share a slot of the table, which is a false alarm, but not time and again.
        var quiet = 0
        for _ in 0..<3 {
            let before = watch.generation
            try await store.withLease("a", deadline: .seconds(1)) { lease in
                _ = try await lease.load()
                try await lease.reserve()
            }
            if watch.generation == before { quiet += 1 }
        }
        #expect(quiet > 0)
    }

    @Test("everything of the service can be removed, and nothing else, for the first start of a new installation")
    func removeAll() async throws {
        try await store.removeAll()
        try await store.put("one", "a")
        try await store.put("two", "b")
        try await device.store(service: "com.example.other").put("kept")
        let watch = try #require(await store.watch("a"))
        let before = watch.generation
        try await store.removeAll()
        #expect(watch.generation != before)
        #expect(device.items.map(\.service) == ["com.example.other"])
    }

    @Test("an item of another program is left as it is, and can be removed", arguments: [nil, Data()])
    func foreign(generic: Data?) async throws {
        device.put(
            KeychainAttributes(
                service: "com.example.app", account: "default", accessGroup: "TEAM.app", generic: generic,
                accessible: .whenUnlocked, data: Data("password".utf8)))
        let before = device.items
        try await expectStoreError(.storeCorrupt) { _ = try await store.load(.default) }
        try await expectStoreError(.storeCorrupt) { try await store.put("one") }
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await expectStoreError(.storeCorrupt) { try await lease.reserve() }
            try await expectStoreError(.storeCorrupt) { _ = try await lease.save(Data(), expecting: nil) }
        }
        #expect(device.items == before)
        try await AuthState.remove(from: store)
        #expect(device.items.isEmpty)
    }

    @Test func `an item and a keychain status say nothing of the archive`() {
        let item = KeychainAttributes(service: "s", account: "a", data: Data("SECRET".utf8))
        #expect("\(item) \(String(reflecting: item))" == "s/a, 6 bytes s/a, 6 bytes")
        #expect(Mirror(reflecting: item).children.allSatisfy { !"\($0.value)".contains("SECRET") })
    }
}
