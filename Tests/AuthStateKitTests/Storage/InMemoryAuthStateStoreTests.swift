import AuthStateKit
import AuthStateOAuth
import Foundation
import Testing

@Suite("In-memory store", .timeLimit(.minutes(1)))
struct InMemoryAuthStateStoreTests {
    let store = InMemoryAuthStateStore()

    @Test("what was saved is loaded, under its own key only")
    func roundTrip() async throws {
        let version = try await store.put("one", "a")
        #expect(try await store.load("a") == StoredAuthState(archive: Data("one".utf8), version: version))
        #expect(try await store.load("b") == nil)
    }

    @Test("a hundred tasks count without losing one")
    func exclusion() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await store.increment("n") } }
            try await group.waitForAll()
        }
        #expect(try await store.text("n") == "100")
    }

    @Test("a save or delete over another version is a conflict and changes nothing")
    func conflict() async throws {
        let old = try await store.put("one")
        let new = try await store.put("two")
        #expect(old != new)
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data(), expecting: old) }
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data(), expecting: nil) }
            try await expectStoreError(.storeConflict) { try await lease.delete(expecting: old) }
        }
        #expect(try await store.text() == "two")
    }

    @Test("a deleted state is gone, and a save that expects it is a conflict")
    func delete() async throws {
        let version = try await store.put("one")
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.delete(expecting: version)
            try await lease.delete(expecting: version)
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data(), expecting: version) }
        }
        #expect(try await store.load(.default) == nil)
    }

    @Test("a lease that somebody holds is refused at the deadline of the injected clock")
    func deadline() async throws {
        let store = InMemoryAuthStateStore(clock: JumpingClock())
        try await store.withLease("a", deadline: .seconds(1)) { _ in
            _ = try await expectStoreError(.storeLocked) {
                try await store.withLease("a", deadline: .seconds(3600)) { _ in }
            }
        }
        try await store.put("free again", "a")
    }

    @Test("a lease cannot be used after its transaction")
    func ended() async throws {
        let lease = try await store.withLease(.default, deadline: .seconds(1)) { $0 }
        try await expectStoreError(.invalidArgument) { _ = try await lease.load() }
        try await expectStoreError(.invalidArgument) { _ = try await lease.save(Data(), expecting: nil) }
    }

    @Test("an error of the body passes unchanged and frees the lease")
    func bodyThrows() async throws {
        struct Mine: Error {}
        await #expect(throws: Mine.self) {
            try await store.withLease(.default, deadline: .seconds(1)) { _ in throw Mine() }
        }
        try await store.put("free again")
    }

    @Test("the body runs in the caller's isolation")
    func isolation() async throws {
        actor Owner {
            var seen: [String?] = []
            func look(into store: InMemoryAuthStateStore) async throws {
                try await store.withLease(.default, deadline: .seconds(1)) { lease in
                    seen.append(try await lease.load().map { text($0.archive) })
                }
            }
        }
        try await store.put("one")
        let owner = Owner()
        try await owner.look(into: store)
        #expect(await owner.seen == ["one"])
    }
}
