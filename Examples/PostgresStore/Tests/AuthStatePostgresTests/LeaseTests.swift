import AuthStateJOSE
import AuthStateKit
import AuthStatePostgres
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    @Suite(.withServer)
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

        @Test("the lease of a holder that crashed is free when it has expired, and not before")
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

        @Test("a lease is extended while the body runs")
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
