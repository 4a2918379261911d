import AuthStateKit
import AuthStatePostgres
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    @Suite("leases", .withServer)
    struct Leases {
        let server: PostgresServer
        let store: PostgresAuthStateStore
        let other: PostgresAuthStateStore
        let key = freshKey()

        init() throws {
            server = try .current
            store = try server.store()
            other = try server.store()
        }

        @Test("200 tasks of two stores change one key one after another")
        func exclusion() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask { try await (number.isMultiple(of: 2) ? store : other).increment(key) }
                }
                try await group.waitForAll()
            }
            #expect(try await store.text(key) == "200")
        }

        @Test("different keys do not wait for each other")
        func otherKeys() async throws {
            try await store.withLease(key, deadline: .seconds(5)) { _ in
                try await store.withLease(freshKey(), deadline: .zero) { _ in }
                try await other.withLease(freshKey(), deadline: .zero) { _ in }
            }
        }

        @Test("waiting ends at the deadline, in the same process and in another")
        func deadline() async throws {
            try await store.withLease(key, deadline: .seconds(5)) { _ in
                for waiting in [store, other] {
                    let begin = ContinuousClock.now
                    try await expectStoreError(.storeLocked) {
                        try await waiting.withLease(key, deadline: .milliseconds(300)) { _ in }
                    }
                    #expect(ContinuousClock.now - begin < .seconds(10))
                }
            }
            try await other.withLease(key, deadline: .zero) { _ in }
        }

        @Test("whoever is cancelled while it waits leaves at once and holds nothing")
        func cancellation() async throws {
            try await store.withLease(key, deadline: .seconds(5)) { _ in
                for waiting in [store, other] {
                    let task = Task { try await waiting.withLease(key, deadline: .seconds(60)) { _ in } }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
            try await other.withLease(key, deadline: .zero) { _ in }
        }

        @Test("an error of the body comes out, and the lease is free again")
        func bodyThrows() async throws {
            struct Own: Error {}
            await #expect(throws: Own.self) {
                try await store.withLease(key, deadline: .seconds(5)) { _ in throw Own() }
            }
            try await other.withLease(key, deadline: .zero) { _ in }
        }

        @Test("a task that is cancelled finishes what it began to save, and gives the lease back")
        func cancelledSave() async throws {
            let task = Task {
                try await store.withLease(key, deadline: .seconds(5)) { lease in
                    withUnsafeCurrentTask { $0?.cancel() }
                    _ = try await lease.save(Data("kept".utf8), expecting: nil)
                }
            }
            try await task.value
            #expect(try await store.text(key) == "kept")
            try await other.withLease(key, deadline: .zero) { _ in }
        }

        @Test("the lease of a holder that crashed is free when it has run out, and not before")
        func crash() async throws {
            let hash = try server.literal(key)
            try await server.sql(
                """
                INSERT INTO auth_states (key, archive, lease_owner, lease_expires_at)
                VALUES (\(hash), 'kept', gen_random_uuid(), clock_timestamp() + interval '2 s')
                """)
            try await expectStoreError(.storeLocked) {
                try await store.withLease(key, deadline: .milliseconds(100)) { _ in }
            }
            let content = try await store.withLease(key, deadline: .seconds(20)) { try await $0.load()?.archive }
            #expect(content.map(text) == "kept")
        }

        @Test("a lease is renewed while the body runs")
        func renewal() async throws {
            let short = try server.store { $0.leaseDuration = .seconds(1) }
            let row = try server.literal(key)
            try await short.withLease(key, deadline: .seconds(5)) { _ in
                let first = try await server.sql("SELECT lease_expires_at FROM auth_states WHERE key = \(row)")
                try await eventually("the lease lasts longer than it did") {
                    try await server.sql(
                        """
                        SELECT 1 FROM auth_states WHERE key = \(row)
                        AND clock_timestamp() > timestamptz '\(first)' + interval '0.5 s'
                        """) == "1" ? true : nil
                }
                try await expectStoreError(.storeLocked) {
                    try await other.withLease(key, deadline: .milliseconds(100)) { _ in }
                }
            }
        }

        @Test("no connection is held while bodies run, however many")
        func connections() async throws {
            let application = "lease-\(UUID().uuidString)"
            let store = try server.store(application)
            let gate = ScriptedTransport.Gate()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await store.withLease(freshKey(), deadline: .seconds(20)) { lease in
                            try await lease.reserve()
                            try await gate.pass()
                        }
                    }
                }
                await gate.arrivals(50)
                let counts = try await server.sql(
                    """
                    SELECT count(*) FILTER (WHERE state <> 'idle'), count(*) <= 4 FROM pg_stat_activity
                    WHERE application_name = '\(application)'
                    """)
                #expect(counts == "0|t")
                gate.open()
                try await group.waitForAll()
            }
        }
    }
}

extension PostgresServer {
    /// A key as the table has it.
    func literal(_ key: AuthStateKey) throws -> String {
        let hash = try SHA2.sha256(Array(key.rawValue.utf8)).map { String(format: "%02x", $0) }.joined()
        return "'\\x\(hash)'::bytea"
    }
}
