import AuthStateKit
import AuthStatePostgres
import Foundation
import Testing

extension PostgresTests {
    @Suite("saving and loading", .withServer)
    struct Storing {
        let store: PostgresAuthStateStore
        let key = freshKey()

        init() throws { store = try PostgresServer.current.store() }

        @Test("the schema that schema.sql makes is accepted")
        func schema() async throws { try await store.checkSchema() }

        @Test("what was saved is loaded, by this store and by another one")
        func saveAndLoad() async throws {
            #expect(try await store.load(key) == nil)
            let version = try await store.put("one", key)
            let other = try PostgresServer.current.store()
            let loaded = try #require(try await other.load(key))
            #expect(text(loaded.archive) == "one" && loaded.version == version)
        }

        @Test("what was deleted is gone, and leaves no row behind")
        func delete() async throws {
            let server = try PostgresServer.current
            let version = try await store.put("one", key)
            try await store.withLease(key, deadline: .seconds(5)) { try await $0.delete(expecting: version) }
            #expect(try await store.load(key) == nil)
            let hash = try SHA2.sha256(Array(key.rawValue.utf8)).map { String(format: "%02x", $0) }.joined()
            #expect(try await server.sql("SELECT count(*) FROM auth_states WHERE key = '\\x\(hash)'") == "0")
            // Deleting what is not there is no error, whatever was expected.
            try await store.withLease(key, deadline: .seconds(5)) { lease in
                try await lease.delete(expecting: nil)
                try await lease.delete(expecting: version)
            }
        }

        @Test("a lease that stores nothing leaves no row behind")
        func emptyLease() async throws {
            try await store.withLease(key, deadline: .seconds(5)) { lease in
                #expect(try await lease.load() == nil)
                try await lease.reserve()
            }
            let hash = try SHA2.sha256(Array(key.rawValue.utf8)).map { String(format: "%02x", $0) }.joined()
            #expect(
                try await PostgresServer.current.sql("SELECT count(*) FROM auth_states WHERE key = '\\x\(hash)'")
                    == "0")
        }

        @Test("a save or delete that expects another version than is stored is a conflict and changes nothing")
        func conflict() async throws {
            let old = try await store.put("one", key)
            try await store.put("two", key)
            try await store.withLease(key, deadline: .seconds(5)) { lease in
                try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("x".utf8), expecting: old) }
                try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("x".utf8), expecting: nil) }
                try await expectStoreError(.storeConflict) { try await lease.delete(expecting: old) }
                try await expectStoreError(.storeConflict) { try await lease.delete(expecting: nil) }
                let foreign = StoredAuthState.Version(rawValue: "'; DROP TABLE auth_states; --")
                try await expectStoreError(.storeConflict) {
                    _ = try await lease.save(Data("x".utf8), expecting: foreign)
                }
            }
            #expect(try await store.text(key) == "two")
        }

        @Test("a version is expected where nothing is stored: a conflict")
        func conflictWithNothing() async throws {
            let version = try await store.put("one", key)
            try await store.withLease(key, deadline: .seconds(5)) { lease in
                try await lease.delete(expecting: version)
                try await expectStoreError(.storeConflict) {
                    _ = try await lease.save(Data("x".utf8), expecting: version)
                }
            }
            #expect(try await store.load(key) == nil)
        }

        @Test("a save of the same content again is no conflict")
        func sameContent() async throws {
            let old = try await store.put("one", key)
            let new = try await store.put("two", key)
            let again = try await store.withLease(key, deadline: .seconds(5)) { lease in
                try await lease.save(Data("two".utf8), expecting: old)
            }
            #expect(again == new)
        }

        @Test("no version comes back, after a delete neither")
        func versions() async throws {
            var seen: Set<StoredAuthState.Version> = []
            for round in 1...4 {
                let version = try await store.put("same", key)
                #expect(seen.insert(version).inserted, "round \(round)")
                try await store.withLease(key, deadline: .seconds(5)) { try await $0.delete(expecting: version) }
            }
        }

        @Test(
            "keys of every kind are kept apart",
            arguments: [
                ["", " ", "\0", "a\0b", "a\0c"], ["../x", "/x", "x'; DROP TABLE auth_states; --", "$1", "%"],
                ["e\u{301}", "\u{e9}", "ключ", "🔑"], ["K", "k", "long"],
            ])
        func keys(_ names: [String]) async throws {
            let prefix = UUID().uuidString
            let names = names.map { $0 == "long" ? String(repeating: "k", count: 100_000) : $0 }
            for name in names { try await store.put("for \(name)", AuthStateKey(rawValue: prefix + name)) }
            for name in names { #expect(try await store.text(AuthStateKey(rawValue: prefix + name)) == "for \(name)") }
        }

        @Test("archives of any bytes and size come back as they were", arguments: [0, 1, 2000, 100_000, 3_000_000])
        func archives(_ size: Int) async throws {
            let archive = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try await store.withLease(key, deadline: .seconds(10)) { lease in
                _ = try await lease.save(archive, expecting: nil)
            }
            #expect(try await store.load(key)?.archive == archive)
        }

        @Test("a lease is of no use after withLease has returned")
        func ended() async throws {
            let lease = try await store.withLease(key, deadline: .seconds(5)) { $0 }
            try await expectStoreError(.invalidArgument) { _ = try await lease.load() }
            try await expectStoreError(.invalidArgument) { try await lease.reserve() }
            try await expectStoreError(.invalidArgument) { _ = try await lease.save(Data(), expecting: nil) }
            try await expectStoreError(.invalidArgument) { try await lease.delete(expecting: nil) }
        }

        @Test("neither the store nor what it stores shows a password")
        func secrecy() {
            var shown = ""
            dump(store, to: &shown)
            shown += "\(store)" + String(reflecting: store)
            #expect(!shown.contains("authstate-secret") && shown.contains("127.0.0.1"))
        }
    }
}
