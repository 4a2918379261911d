import AuthStateKit
import AuthStatePostgres
import AuthStateStorage
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    @Suite(.withServer)
    struct Storing {
        let store: PostgresAuthStateStore
        let key = freshKey()

        init() throws { store = try PostgresServer.current.store() }

        @Test("the schema that schema.sql makes is accepted")
        func schema() async throws { try await store.checkSchema() }

        @Test("the program makes the schema, again and at the same time as others, and nothing is lost by it")
        func createdSchema() async throws {
            let server = try PostgresServer.current
            try await server.sql("CREATE DATABASE created OWNER authstate")
            let store = try server.store(settings: "dbname=created")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await server.store(settings: "dbname=created").createSchema() } }
                try await group.waitForAll()
            }
            try await store.checkSchema()
            let version = try await store.put("one", key)
            try await store.createSchema()
            #expect(try await store.load(key)?.version == version)
            let listener = Task { try await store.run() }
            defer { listener.cancel() }
            let watch = try await eventually("a watch", within: .seconds(10)) { await store.watch(key) }
            let before = try await eventually("a connection", within: .seconds(10)) {
                watch.generation < UInt64(UInt32.max) << 31 ? watch.generation : nil
            }
            try await store.put("two", key)
            try await eventually("a change", within: .seconds(10)) { watch.generation != before ? true : nil }
        }

        @Test("schema.sql is the schema that the program makes")
        func schemaFile() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../schema.sql")
            #expect(try String(contentsOf: file, encoding: .utf8).contains(PostgresAuthStateStore.schema))
        }

        @Test("the contract of every store", arguments: AuthStateStoreContract.checks)
        func promise(_ check: AuthStateStoreContract.Check) async throws {
            try await check.run(on: store, and: try PostgresServer.current.store())
        }

        @Test("a delete, and a lease that stores nothing, leave no row behind")
        func noRow() async throws {
            let server = try PostgresServer.current
            let row = try server.literal(key)
            let version = try await store.put("one", key)
            try await store.withLease(key, deadline: .seconds(5)) { try await $0.delete(expecting: version) }
            #expect(try await server.sql("SELECT count(*) FROM auth_states WHERE key = \(row)") == "0")
            try await store.withLease(key, deadline: .seconds(5)) { try await $0.reserve() }
            #expect(try await server.sql("SELECT count(*) FROM auth_states WHERE key = \(row)") == "0")
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

        @Test("archives of any size come back as they were", arguments: [0, 3_000_000])
        func archives(_ size: Int) async throws {
            let archive = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try await store.withLease(key, deadline: .seconds(10)) { lease in
                _ = try await lease.save(archive, expecting: nil)
            }
            #expect(try await store.load(key)?.archive == archive)
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
