import AuthStateJOSE
import AuthStateKit
import AuthStateStorage
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct SealedAuthStateStoreTests {
    private let base = InMemoryAuthStateStore()
    private let (old, new): (SealingKey, SealingKey)
    /// Begins as an archive does.
    private let archive = #"{"format":1,"state":"SECRET"}"#

    init() throws {
        old = try SealingKey(id: "2025", bytes: SecureRandom.bytes(32))
        new = try SealingKey(id: "2026", bytes: SecureRandom.bytes(32))
    }

    private func store(_ keys: SealingKey..., opensUnsealed: Bool = false) throws -> SealedAuthStateStore {
        try SealedAuthStateStore(base, keys: keys, opensUnsealed: opensUnsealed)
    }

    private func sealingKeyID(_ key: AuthStateKey = .default) async throws -> String? {
        let stored = try #require(try await base.load(key))
        return try JSONValue(parsing: [UInt8](stored.archive))["key"]?.stringValue
    }

    @Test("a saved state is loaded, with the version of the store below, where nothing of it can be read")
    func roundTrip() async throws {
        let store = try store(new)
        let version = try await store.put(archive, "user-1")
        #expect(try await store.load("user-1") == StoredAuthState(archive: Data(archive.utf8), version: version))
        #expect(try await store.load("user-2") == nil)
        let stored = try #require(try await base.load("user-1"))
        #expect(stored.version == version)
        #expect(!text(stored.archive).contains("SECRET") && !text(stored.archive).contains("user-1"))
    }

    @Test func `the same content is sealed anew at each save`() async throws {
        let store = try store(new)
        let first = try await store.put(archive)
        let content = try await base.text()
        #expect(try await store.put(archive) != first)
        #expect(try await base.text() != content)
    }

    @Test("a state that was moved under another key is refused, and left there")
    func moved() async throws {
        let store = try store(new)
        try await store.put(archive, "mallory")
        let sealed = try #require(try await base.text("mallory"))
        try await base.put(sealed, "alice")
        try await expectStoreError(.storeCorrupt) { _ = try await store.load("alice") }
        try await expectStoreError(.storeCorrupt) { try await store.put("another", "alice") }
        #expect(try await base.text("alice") == sealed)
    }

    @Test func `another key of the same name, and a change, are refused and leave what is stored`() async throws {
        try await store(new).put(archive)
        let sealed = try await base.text()
        let impostor = try store(SealingKey(id: new.id, bytes: SecureRandom.bytes(32)))
        let error = try await expectStoreError(.storeCorrupt) { _ = try await impostor.load(.default) }
        #expect(error.message.contains("2026"))
        try await expectStoreError(.storeCorrupt) { try await impostor.put("another") }
        #expect(try await base.text() == sealed)
    }

    @Test func `after a rotation old states are read, and sealed with the new key by the next save`() async throws {
        try await store(old).put(archive)
        let rotating = try store(new, old)
        #expect(try await rotating.text() == archive)
        #expect(try await sealingKeyID() == "2025")
        try await rotating.put(archive)
        #expect(try await sealingKeyID() == "2026")
        #expect(try await store(new).text() == archive)
    }

    @Test func `a state can be sealed anew without a change`() async throws {
        try await store(old).put(archive, "a")
        let rotating = try store(new, old)
        try await rotating.reseal("a")
        try await rotating.reseal("nobody")
        #expect(try await sealingKeyID("a") == "2026")
        #expect(try await rotating.text("a") == archive)
        #expect(try await base.load("nobody") == nil)
    }

    @Test func `a key that is not in the list is named, with what to do`() async throws {
        try await store(old).put(archive)
        let error = try await expectStoreError(.storeUnreadable) { _ = try await self.store(new).load(.default) }
        #expect(error.received == "2025" && error.expected == "2026")
        #expect(error.hint?.contains("Add the old key") == true)
    }

    @Test("a state that is not sealed is refused and left, unless it is allowed by name: then the next save seals it")
    func migration() async throws {
        try await base.put(archive)
        let strict = try store(new)
        let error = try await expectStoreError(.storeUnreadable) { _ = try await strict.load(.default) }
        #expect(error.hint?.contains("opensUnsealed") == true)
        try await expectStoreError(.storeUnreadable) { try await strict.put("another") }
        #expect(try await base.text() == archive)
        let migrating = try store(new, opensUnsealed: true)
        #expect(try await migrating.text() == archive)
        try await migrating.reseal(.default)
        #expect(try await sealingKeyID() == "2026")
        #expect(try await strict.text() == archive)
    }

    @Test("content that is neither sealed nor an archive is refused, also where archives need not be sealed")
    func foreign() async throws {
        let migrating = try store(new, opensUnsealed: true)
        for content in ["", "hello", #"{"sealed":1}"#, String(SealedArchiveTests.golden.dropFirst())] {
            try await base.put(content)
            try await expectStoreError(.storeCorrupt) { _ = try await migrating.load(.default) }
        }
    }

    @Test("no change of a bit opens, also where archives need not be sealed")
    func changedBits() async throws {
        let migrating = try store(new, opensUnsealed: true)
        try await migrating.put(archive)
        let sealed = Array(try #require(try await base.load(.default)).archive)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1 << (index % 8)
            try await base.withLease(.default, deadline: .seconds(1)) { lease in
                _ = try await lease.save(Data(changed), expecting: try await lease.load()?.version)
            }
            #expect(await authError { try await migrating.load(.default) }?.kind == .store)
        }
    }

    @Test func `a state that cannot be opened can be removed: a logout is always possible`() async throws {
        try await store(old).put(archive)
        let store = try store(new)
        try await AuthState.remove(from: store)
        #expect(try await base.load(.default) == nil)
        try await AuthState.remove(from: store)
    }

    @Test func `a list without keys, or with a name twice, is refused`() throws {
        for keys in [[], [new, old, try SealingKey(id: "2026", bytes: old.bytes.bytes)]] {
            let error = #expect(throws: AuthStateError.self) { try SealedAuthStateStore(base, keys: keys) }
            #expect(error?.code == .invalidArgument && error?.hint != nil)
        }
    }

    @Test func `changes are those of the store below`() async throws {
        struct Watched: AuthStateStore {
            final class Watch: AuthStateWatch {
                let generation: UInt64
                init(generation: UInt64) { self.generation = generation }
            }
            func load(_ key: AuthStateKey) async throws -> StoredAuthState? { nil }
            nonisolated(nonsending) func withLease<R>(
                _ key: AuthStateKey, deadline: Duration,
                whileWaiting look: nonisolated(nonsending) () async throws -> R?,
                _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
            ) async throws -> R { throw CancellationError() }
            func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { Watch(generation: key == "a" ? 7 : 0) }
        }
        let store = try SealedAuthStateStore(Watched(), keys: [new])
        #expect(await store.watch("a")?.generation == 7)
        #expect(await store.watch("b")?.generation == 0)
    }

    @Test func `a list has the states that cannot be read, too`() async throws {
        struct Listed: AuthStateStore {
            let listed: [AuthStateEntry]
            var code = AuthStateError.Code.storeCorrupt
            var mayBeWrittenByOthers: Bool { false }
            func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
                throw AuthStateError(code, stage: .store, "too long")
            }
            nonisolated(nonsending) func withLease<R>(
                _ key: AuthStateKey, deadline: Duration,
                whileWaiting look: nonisolated(nonsending) () async throws -> R?,
                _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
            ) async throws -> R { throw CancellationError() }
            func entries(savedBefore date: Date) async throws -> [AuthStateEntry] { listed }
        }
        let key = AuthStateKey(digest: String(repeating: "a", count: 64))
        let entry = AuthStateEntry(key: key, savedAt: .now, version: .init(rawValue: "1"))
        let store = try SealedAuthStateStore(Listed(listed: [entry]), keys: [new])
        #expect(try await store.entries(savedBefore: .now).map(\.key) == [key])
        let away = try SealedAuthStateStore(Listed(listed: [entry], code: .storeUnreadable), keys: [new])
        await #expect(throws: AuthStateError.self) { try await away.entries(savedBefore: .now) }
    }

    @Test func `a store shows nothing of its keys`() throws {
        let bytes = Array(repeating: UInt8(0x53), count: 32)
        let store = try SealedAuthStateStore(base, keys: [SealingKey(id: "k", bytes: bytes)])
        var dumped = ""
        dump(store, to: &dumped)
        for text in ["\(store)", String(reflecting: store), dumped] { #expect(!text.contains("83")) }
    }
}
