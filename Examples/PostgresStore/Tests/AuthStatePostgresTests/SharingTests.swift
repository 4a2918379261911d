import AuthStateKit
import AuthStatePostgres
import AuthStateStorage
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    /// Statements that wait at the same time share a transaction.
    @Suite(.withServer, .serialized)
    struct Sharing {
        let server: PostgresServer
        let application = "sharing-\(UUID().uuidString)"
        let keys = (0..<12).map { _ in freshKey() }

        init() throws { server = try .current }

        /// A store with one connection.
        private func narrow(
            settings: String = "", configure: (inout PostgresAuthStateStore.Configuration) -> Void = { _ in }
        ) throws -> PostgresAuthStateStore {
            try server.store(application, settings: settings) {
                $0.maximumConnections = 1
                configure(&$0)
            }
        }

        /// Locks rows as another client, until it is ended with `release`.
        private func lock(_ keys: [AuthStateKey]) async throws -> Program {
            let name = "locker-\(UUID().uuidString.prefix(8))"
            let rows = try keys.map(server.literal).joined(separator: ", ")
            let locker = try Program.start([
                "psql", "\(server.admin) dbname=authstate application_name=\(name)", "--no-psqlrc", "-qc",
                "BEGIN; SELECT 1 FROM auth_states WHERE key IN (\(rows)) FOR UPDATE; SELECT pg_sleep(60)",
            ])
            try await backend("application_name = '\(name)' AND wait_event = 'PgSleep'")
            return locker
        }

        private func release(_ locker: Program) async throws {
            await locker.end()
            // psql's end does not end its statement.
            try await server.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'locker-%'")
        }

        /// Waits until there is a connection like this.
        private func backend(_ condition: String) async throws {
            try await eventually("a connection where \(condition)") {
                try await server.sql("SELECT 1 FROM pg_stat_activity WHERE \(condition)").isEmpty ? nil : true
            }
        }

        /// Lets the statements of tasks wait together: the only connection of the store waits for a locked row meanwhile.
        ///
        /// - Parameters:
        ///   - begin: Called when the connection waits.
        ///   - end: Called in place of `release` when the tasks have had the time to ask for the connection.
        private func holdingUp(
            _ store: PostgresAuthStateStore, begin: () -> Void, end: ((Program) async throws -> Void)? = nil
        ) async throws {
            let first = freshKey()
            try await server.store().put("one", first)
            let locker = try await lock([first])
            let held = Task { try await store.put("two", first) }
            try await backend("application_name = '\(application)' AND wait_event_type = 'Lock'")
            begin()
            for _ in 0..<5 { try await server.sql("SELECT 1") }
            if let end { try await end(locker) } else { try await release(locker) }
            _ = try await held.value
        }

        /// Saves and releases the lease of each key, all at once; the outcomes, each by its own key.
        private func saves(
            in store: PostgresAuthStateStore, _ content: @escaping @Sendable (AuthStateKey) -> String,
            expecting: StoredAuthState.Version? = nil, end: ((Program) async throws -> Void)? = nil
        ) async throws -> [Result<StoredAuthState.Version, any Error>] {
            let gate = ScriptedTransport.Gate()
            let tasks = keys.map { key in
                Task {
                    try await store.withLease(key, deadline: .seconds(60)) { lease in
                        let version = try await lease.load()?.version
                        try await lease.reserve()
                        try await gate.pass()
                        return try await lease.saveLast(Data(content(key).utf8), expecting: expecting ?? version)
                    }
                }
            }
            await gate.arrivals(keys.count)
            try await holdingUp(store, begin: { gate.open() }, end: end)
            return await outcomes(of: tasks)
        }

        private func outcomes<R>(of tasks: [Task<R, any Error>]) async -> [Result<R, any Error>] {
            var outcomes: [Result<R, any Error>] = []
            for task in tasks { outcomes.append(await task.result) }
            return outcomes
        }

        /// The places of the tasks that failed.
        private func failures<R>(_ outcomes: [Result<R, any Error>]) -> [Int] {
            outcomes.indices.filter { (try? outcomes[$0].get()) == nil }
        }

        private var rows: String {
            get throws { try "key IN (\(keys.map(server.literal).joined(separator: ", ")))" }
        }

        /// The number of transactions that changed the rows last.
        private func transactions() async throws -> Int {
            Int(try await server.sql("SELECT count(DISTINCT xmin::text) FROM auth_states WHERE \(rows)")) ?? .max
        }

        private func contents() async throws -> [String?] {
            let store = try server.store()
            var contents: [String?] = []
            for key in keys { contents.append(try await store.text(key)) }
            return contents
        }

        @Test("acquisitions and saves that wait share a transaction, and each caller has its own row")
        func shared() async throws {
            let other = try server.store()
            for key in keys { try await other.put(key.rawValue, key) }
            let store = try narrow()
            var loads: [Task<Data?, any Error>] = []
            try await holdingUp(store) {
                loads = keys.map { key in
                    Task { try await store.withLease(key, deadline: .seconds(60)) { try await $0.load()?.archive } }
                }
            }
            #expect(try await outcomes(of: loads).map { try $0.get().map(text) } == keys.map(\.rawValue))
            let saved = try await saves(in: store) { "new \($0.rawValue)" }
            #expect(try await transactions() < keys.count / 2)
            #expect(try await contents() == keys.map { "new \($0.rawValue)" })
            for (key, version) in zip(keys, saved) {
                #expect(try await store.load(key)?.version == version.get())
                try await store.put("free", key)
            }
        }

        @Test("transactions of two processes that cross in their rows wait for each other, and never both")
        func crossing() async throws {
            let (stores, rounds) = (try [narrow(), narrow()], 5)
            // Each change takes some milliseconds, so that transactions overlap.
            try await server.sql(
                """
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_sleep(0.003); RETURN NEW; END $$;
                CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON auth_states FOR EACH ROW EXECUTE FUNCTION slow()
                """)
            // A transaction of several statements waits so long and not longer.
            let waits = { try server.log().components(separatedBy: "due to lock timeout").count }
            let before = try waits()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (store, keys) in zip(stores, [keys, keys.reversed()]) {
                    for key in keys {
                        group.addTask { for _ in 0..<rounds { try await store.increment(key) } }
                    }
                }
                try await group.waitForAll()
            }
            try await server.sql("DROP TRIGGER slow ON auth_states; DROP FUNCTION slow()")
            #expect(try await contents() == keys.map { _ in "\(2 * rounds)" })
            #expect(try waits() == before)
        }

        @Test(
            "a lease that another process holds, and a version that is gone, are refused to their callers alone"
        )
        func ownOutcome() async throws {
            let (store, other) = (try narrow(), try server.store())
            for key in keys { try await other.put("old", key) }
            var tasks: [Task<Void, any Error>] = []
            let taken = try await other.withLease(keys[5], deadline: .seconds(5)) { _ in
                try await holdingUp(store) {
                    tasks = keys.enumerated().map { index, key in
                        Task {
                            try await store.withLease(key, deadline: .seconds(index == 5 ? 0 : 60)) { lease in
                                _ = try await lease.saveLast(
                                    Data("new".utf8), expecting: try await lease.load()?.version)
                            }
                        }
                    }
                }
                return await outcomes(of: tasks)
            }
            #expect(failures(taken) == [5])
            try await expectStoreError(.storeLocked) { try taken[5].get() }
            #expect(try await contents() == keys.indices.map { $0 == 5 ? "old" : "new" })

            let current = try await other.load(keys[3])?.version
            let stale = try await saves(in: store, { _ in "newer" }, expecting: current)
            #expect(failures(stale) == keys.indices.filter { $0 != 3 })
            for index in keys.indices where index != 3 {
                try await expectStoreError(.storeConflict) { _ = try stale[index].get() }
            }
        }

        @Test(
            "a statement that is refused, and one that breaks the connection, fail alone: the others are saved once",
            arguments: ["RAISE EXCEPTION 'refused here'", "PERFORM pg_terminate_backend(pg_backend_pid())"])
        func poison(_ statement: String) async throws {
            let store = try narrow {
                $0.leaseDuration = .seconds(2)
                $0.outageTolerance = .milliseconds(300)
            }
            let other = try server.store()
            for key in keys { try await other.put("old", key) }
            let before = try await server.sql("SELECT max(version) FROM auth_states")
            try await server.sql(
                """
                CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                    $$ BEGIN \(statement); RETURN NEW; END $$;
                CREATE TRIGGER poison BEFORE UPDATE ON auth_states FOR EACH ROW
                    WHEN (NEW.archive = 'poison'::bytea) EXECUTE FUNCTION poison()
                """)
            let results = try await saves(in: store) { $0 == keys[7] ? "poison" : "new" }
            try await server.sql("DROP TRIGGER poison ON auth_states; DROP FUNCTION poison()")
            let error = try await expectStoreError(.storeUnwritable) { _ = try results[7].get() }
            if statement.hasPrefix("RAISE") { #expect(error.message.contains("refused here"), "\(error)") }
            #expect(failures(results) == [7])
            #expect(try await contents() == keys.indices.map { $0 == 7 ? "old" : "new" })
            let written = try "SELECT count(*) FROM auth_states WHERE \(rows) AND version > \(before)"
            #expect(try await server.sql(written) == "\(keys.count - 1)")
        }

        @Test("saves whose common commit was done when the connection broke are found to be done, each by its content")
        func unknownOutcome() async throws {
            let store = try narrow()
            let other = try server.store()
            for key in keys { try await other.put("old", key) }
            let waiting = "application_name = '\(application)' AND wait_event = 'SyncRep'"
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
            let saved = try await saves(in: store, { _ in "done" }) { locker in
                // With a standby that does not exist, a commit is on the disk, but its answer does not come.
                try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
                try await server.sql("SELECT pg_reload_conf()")
                try await release(locker)
                // They show to others when their connection has been ended.
                try await eventually("the common commit") {
                    try await server.sql("\(end) \(waiting)")
                    let done = try "SELECT count(*) FROM auth_states WHERE archive = 'done' AND \(rows)"
                    return try await server.sql(done) == "\(keys.count)" ? true : nil
                }
                try await server.sql("ALTER SYSTEM RESET synchronous_standby_names")
                try await server.sql("SELECT pg_reload_conf()")
            }
            for (key, version) in zip(keys, saved) {
                #expect(try await other.load(key)?.version == version.get())
            }
            #expect(try await contents() == keys.map { _ in "done" })
        }

        @Test("a row that another client has locked holds up its own caller, who has the time of a statement for it")
        func lockedRow() async throws {
            let other = try server.store()
            let store = try narrow {
                $0.maximumConnections = 2
                $0.statementTimeout = .seconds(60)
            }
            for key in keys { try await other.put("old", key) }
            let locker = try await lock([keys[4]])
            let begin = ContinuousClock.now
            let tasks = keys.map { key in Task { try await store.put("new", key) } }
            for (index, task) in tasks.enumerated() where index != 4 { _ = try await task.value }
            #expect(ContinuousClock.now - begin < .seconds(30))
            #expect(try await contents() == keys.indices.map { $0 == 4 ? "old" : "new" })
            try await release(locker)
            _ = try await tasks[4].value
            #expect(try await other.text(keys[4]) == "new")

            let again = try await lock([keys[4]])
            try await expectStoreError(.storeUnwritable) {
                let strict = try narrow {
                    $0.statementTimeout = .seconds(1)
                    $0.outageTolerance = .zero
                }
                try await strict.put("late", keys[4])
            }
            try await release(again)
        }

        @Test("notifications that are lost with their connection, after the saves, are sent again")
        func toldAgain() async throws {
            let first = try server.literal(keys[0])
            try await server.sql(
                """
                CREATE SEQUENCE tries; CREATE TABLE told (payload text);
                CREATE FUNCTION public.pg_notify(channel text, payload text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    IF payload = encode(\(first), 'hex') THEN
                        IF nextval('tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                    END IF;
                    INSERT INTO told VALUES (payload);
                END $$
                """)
            let store = try narrow(settings: "options='-c search_path=public,pg_catalog'")
            let other = try server.store()
            for key in keys { try await other.put("old", key) }
            let saved = try await saves(in: store) { _ in "new" }
            try await eventually("all are told of") {
                let told = "SELECT count(DISTINCT payload) FROM told JOIN auth_states ON payload = encode(key, 'hex')"
                return try await server.sql("\(told) WHERE \(rows)") == "\(keys.count)" ? true : nil
            }
            try await server.sql("DROP FUNCTION public.pg_notify")
            #expect(try await server.sql("SELECT last_value FROM tries") == "2")
            for (key, version) in zip(keys, saved) {
                #expect(try await other.load(key)?.version == version.get())
            }
        }

        @Test("a caller that is cancelled while its statement waits has not sent it")
        func cancelled() async throws {
            let store = try narrow()
            var tasks: [Task<Void, any Error>] = []
            try await holdingUp(
                store,
                begin: {
                    tasks = keys.map { key in
                        Task { try await store.withLease(key, deadline: .seconds(60)) { _ in } }
                    }
                },
                end: { locker in
                    for task in tasks { task.cancel() }
                    try await release(locker)
                })
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            #expect(try await contents() == keys.map { _ in nil })
            #expect(try await transactions() == 0, "no lease is left")
        }
    }
}
