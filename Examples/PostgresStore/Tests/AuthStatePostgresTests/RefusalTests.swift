import AuthStateKit
import AuthStatePostgres
import Foundation
import Testing

extension PostgresTests {
    @Suite(.withServer)
    struct Refusals {
        let server: PostgresServer
        let key = freshKey()

        init() throws { server = try .current }

        @Test("a wrong password is not tried again and not shown")
        func password() async throws {
            let store = try server.store(settings: "password=wrong-s3cret") { $0.outageTolerance = .seconds(60) }
            let reading = try await expectStoreError(.storeUnreadable) { _ = try await store.load(key) }
            let writing = try await expectStoreError(.storeUnwritable) {
                try await store.withLease(key, deadline: .seconds(60)) { _ in }
            }
            for text in ["\(reading)", "\(writing)"] {
                #expect(text.contains("password authentication failed") && !text.contains("wrong-s3cret"))
            }
        }

        @Test(
            "a malformed connection string is refused without showing any of it",
            arguments: [
                "postgresql://user:s3c@ret@host/db", "postgresql://user:s3cret@host:x/db", "host=a s3cret",
                "host=a port='s3cret", "postgresql://user:s3cret@host/db?s3cret", "s3cret", "host=s3cret\0",
            ])
        func strings(_ text: String) async throws {
            let error = await #expect(throws: AuthStateError.self) {
                try await PostgresAuthStateStore(connectionString: text).checkSchema()
            }
            let shown = try #require(error.map { "\($0)" })
            #expect(!shown.contains("s3cret") && !shown.contains("ret@"), "\(shown)")
        }

        @Test("a database without the table names what to run")
        func schema() async throws {
            try await server.sql("CREATE DATABASE empty OWNER authstate")
            let store = try server.store(settings: "dbname=empty")
            for error in [
                try await expectStoreError(.storeUnwritable) { try await store.checkSchema() },
                try await expectStoreError(.storeUnreadable) { _ = try await store.load(key) },
                try await expectStoreError(.storeUnwritable) {
                    try await store.withLease(key, deadline: .seconds(60)) { _ in }
                },
            ] { #expect(error.hint?.contains("createSchema()") == true) }
        }

        @Test(
            "a table that would lose states, or is another one, is refused",
            arguments: [
                ("unlogged", "CREATE UNLOGGED TABLE x.auth_states (LIKE public.auth_states)", "LOGGED"),
                ("columns", "CREATE TABLE x.auth_states (key bytea, archive bytea)", "createSchema()"),
            ])
        func wrongTable(_ name: String, _ create: String, _ hint: String) async throws {
            let create = create.replacingOccurrences(of: "x.", with: "\(name).")
            try await server.sql(
                "CREATE SCHEMA \(name); \(create); GRANT ALL ON SCHEMA \(name) TO authstate;"
                    + " ALTER TABLE \(name).auth_states OWNER TO authstate")
            let store = try server.store(settings: "options='-c search_path=\(name)'")
            let error = try await expectStoreError(.storeUnwritable) { try await store.checkSchema() }
            #expect(error.hint?.contains(hint) == true, "\(error)")
        }

        @Test(
            "a table or a trigger of another role, which would read what is saved, is refused",
            arguments: [
                (
                    "planted",
                    "CREATE TABLE planted.auth_states (LIKE public.auth_states INCLUDING ALL);"
                        + " GRANT ALL ON planted.auth_states TO PUBLIC; ALTER TABLE planted.auth_states OWNER TO mallory"
                ),
                (
                    "spied",
                    "CREATE TABLE spied.auth_states (LIKE public.auth_states INCLUDING ALL);"
                        + " ALTER TABLE spied.auth_states OWNER TO authstate; GRANT TRIGGER ON spied.auth_states TO mallory;"
                        + " SET ROLE mallory; CREATE FUNCTION spied.spy() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RETURN NULL; END $$;"
                        + " CREATE TRIGGER spy AFTER UPDATE ON spied.auth_states FOR EACH ROW EXECUTE FUNCTION spied.spy()"
                ),
            ])
        func planted(_ name: String, _ script: String) async throws {
            try await server.sql(
                "DO $$ BEGIN CREATE ROLE mallory; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
                    + " CREATE SCHEMA \(name); GRANT ALL ON SCHEMA \(name) TO PUBLIC; \(script)")
            let store = try server.store(settings: "options='-c search_path=\(name)'")
            let error = try await expectStoreError(.storeUnwritable) { try await store.checkSchema() }
            #expect(error.received == "those of mallory" && error.hint != nil, "\(error)")
            // Creating it leaves the planted one as it is, and does not accept it.
            _ = try await expectStoreError(.storeUnwritable) { try await store.createSchema() }
        }

        @Test("a stored state that is longer than any state is refused before it is loaded")
        func tooLong() async throws {
            let store = try server.store()
            try await store.put("one", key)
            try await server.sql("UPDATE auth_states SET archive = convert_to(repeat('x', 5000000), 'UTF8') \(ownRow)")
            let error = try await expectStoreError(.storeCorrupt) { _ = try await store.load(key) }
            #expect(error.received == "5000000 bytes")
            // And none of that length is saved.
            let large = String(repeating: "x", count: 5_000_000)
            _ = try await expectStoreError(.storeUnwritable) { try await store.put(large, freshKey()) }
        }

        /// The row of this test's key; other tests have theirs in the same table.
        private var ownRow: String { "WHERE key = sha256('\(key.rawValue)'::bytea)" }

        @Test("a lease that ends later than any holder asks for is free")
        func leaseInTheFuture() async throws {
            let store = try server.store()
            try await store.put("one", key)
            try await server.sql(
                "UPDATE auth_states SET lease_owner = gen_random_uuid(), lease_expires_at = clock_timestamp() + interval '1 day' "
                    + ownRow)
            try await store.put("two", key)
            #expect(try await store.text(key) == "two")
        }

        @Test("a role that may make no table learns what to grant")
        func mayNotCreate() async throws {
            try await server.sql("CREATE ROLE guest LOGIN PASSWORD 'guest-s3cret'")
            try await server.sql("CREATE DATABASE bare")
            let store = try server.store(settings: "user=guest password=guest-s3cret dbname=bare")
            for onlyIfMissing in [true, false] {
                let error = try await expectStoreError(.storeUnwritable) {
                    try await store.createSchema(onlyIfMissing: onlyIfMissing)
                }
                #expect(error.hint?.contains("GRANT CREATE ON SCHEMA") == true, "\(error)")
            }
            // Where there is a table, a role that owns none and may make none only checks it.
            try await server.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON auth_states TO guest")
            let guest = try server.store(settings: "user=guest password=guest-s3cret")
            try await guest.createSchema(onlyIfMissing: true)
        }

        @Test("a role that may only read can load, and learns what to grant before anything is redeemed")
        func permissions() async throws {
            try await server.sql(
                "CREATE ROLE reader LOGIN PASSWORD 'reader-s3cret'; GRANT SELECT ON auth_states TO reader")
            let store = try server.store(settings: "user=reader password=reader-s3cret")
            #expect(try await store.load(key) == nil)
            for error in [
                try await expectStoreError(.storeUnwritable) { try await store.checkSchema() },
                try await expectStoreError(.storeUnwritable) {
                    try await store.withLease(key, deadline: .seconds(60)) { _ in }
                },
            ] { #expect(error.hint?.contains("GRANT") == true && error.received == "SQLSTATE 42501") }
        }

        @Test("a read-only server is named as such, and grants no lease")
        func readOnly() async throws {
            try await server.store().put("one", key)
            let store = try server.store(settings: "options='-c default_transaction_read_only=on'") {
                $0.outageTolerance = .milliseconds(200)
            }
            #expect(try await store.text(key) == "one")
            for error in [
                try await expectStoreError(.storeUnwritable) { try await store.checkSchema() },
                try await expectStoreError(.storeUnwritable) {
                    try await store.withLease(key, deadline: .seconds(60)) { _ in }
                },
            ] { #expect(error.hint?.contains("primary") == true) }
        }

        @Test("a session whose default is not to wait for the disk waits for it")
        func durability() async throws {
            // The role's own setting applies to every statement of the store: a table of the sessions' values shows it.
            try await server.sql(
                """
                CREATE TABLE said (value text); GRANT ALL ON said TO authstate;
                CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN INSERT INTO said VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
                CREATE TRIGGER say AFTER UPDATE ON auth_states FOR EACH ROW
                    WHEN (NEW.archive = 'durable'::bytea) EXECUTE FUNCTION say();
                """)
            for value in ["off", "local", "remote_apply"] {
                try await server.store(settings: "options='-c synchronous_commit=\(value)'").put("durable", freshKey())
            }
            #expect(
                try await server.sql("SELECT string_agg(DISTINCT value, ',' ORDER BY value) FROM said")
                    == "local,on,remote_apply")
        }
    }
}
