import AuthStateKit
import AuthStatePostgres
import AuthStateServer
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    /// One after another: each stops or suspends the server, and starts it again.
    @Suite(.withServer, .serialized)
    struct Outages {
        let server: PostgresServer
        let store: PostgresAuthStateStore
        let key = freshKey()

        init() throws {
            server = try .current
            store = try server.store()
        }

        @Test("a server that is down is a clear error within bounds; once it is up again the same store works")
        func stopped() async throws {
            let hasty = try server.store { $0.outageTolerance = .milliseconds(300) }
            try await hasty.put("one", key)
            try await server.control("stop", "--mode", "fast")
            let begin = ContinuousClock.now
            let error = try await expectStoreError(.storeUnreadable) { _ = try await hasty.load(key) }
            try await expectStoreError(.storeUnwritable) {
                try await hasty.withLease(key, deadline: .seconds(60)) { _ in }
            }
            #expect(ContinuousClock.now - begin < .seconds(15))
            #expect(error.hint?.contains("running") == true)
            try await server.control("start")
            #expect(try await hasty.text(key) == "one")
            try await hasty.put("two", key)
        }

        @Test("a restart between two uses goes unnoticed", arguments: ["fast", "immediate"])
        func restarted(_ mode: String) async throws {
            try await store.put("one", key)
            try await server.control("restart", "--mode", mode)
            #expect(try await store.text(key) == "one")
            try await server.control("restart", "--mode", mode)
            try await store.put("two", key)
            #expect(try await store.text(key) == "two")
        }

        @Test("the first reading of a state waits for a server that is away for a while")
        func restored() async throws {
            _ = await AuthState.signedIn(store: store, key: key)
            let pool = AuthStatePool(store: store, service: AuthorizationService())
            try await server.control("stop", "--mode", "immediate")
            async let restart: Void = server.control("start")
            _ = try await pool.state(for: key)
            try await restart
        }

        @Test("a server that ends its recovery just after a connection is not taken for one that refuses this program")
        func recovered() async throws {
            try await store.put("one", key)
            let port = try #require(server.connection.firstMatch(of: /port=(\d+)/)?.output.1)
            let script = "\(Provider.scripts)/postgresql/recovering.py"
            let program = try Program.start([LoginBrowser.python, script, String(port)])
            let line = try await program.firstLine(within: .seconds(20))
            let gate = try #require(line, "\(program.errors)")
            let late = try server.store(settings: "port=\(gate) sslmode=disable gssencmode=disable") {
                $0.outageTolerance = .zero
            }
            #expect(try await late.text(key) == "one")
            await program.end()
        }

        @Test("redeemed tokens are saved when the server is away for a while")
        func savedThroughOutage() async throws {
            let impatient = try server.store { $0.outageTolerance = .zero }
            try await impatient.withLease(key, deadline: .seconds(5)) { lease in
                try await lease.reserve()
                try await server.control("stop", "--mode", "immediate")
                async let restart: Void = server.control("start")
                _ = try await lease.save(Data("redeemed".utf8), expecting: nil)
                try await restart
            }
            #expect(try await store.text(key) == "redeemed")
        }

        @Test("redeemed tokens are saved when all of the role's connections are taken for a while")
        func savedThroughCrowd() async throws {
            try await server.sql("CREATE ROLE few LOGIN PASSWORD 'few-s3cret' CONNECTION LIMIT 1 IN ROLE authstate")
            let few = "user=few password=few-s3cret"
            let crowded = try server.store("few", settings: few) { $0.outageTolerance = .zero }
            try await crowded.withLease(key, deadline: .seconds(5)) { lease in
                try await lease.reserve()
                try await server.end("few")
                let guest = try Program.start(["psql", "\(server.connection) \(few)", "-qc", "SELECT pg_sleep(2)"])
                try await eventually("the guest has the place") {
                    let count = "SELECT 1 FROM pg_stat_activity WHERE usename = 'few' AND wait_event = 'PgSleep'"
                    return try await server.sql(count).isEmpty ? nil : true
                }
                let other = try server.store(settings: few) { $0.outageTolerance = .zero }
                let error = try await expectStoreError(.storeUnreadable) { _ = try await other.load(key) }
                #expect(error.received == "SQLSTATE 53300" && error.hint?.contains("connections") == true, "\(error)")
                #expect(error.message.contains("too many connections"), "\(error)")
                _ = try await lease.save(Data("redeemed".utf8), expecting: nil)
                _ = try await guest.result(within: .seconds(20))
            }
            #expect(try await store.text(key) == "redeemed")
        }

        @Test("redeemed tokens are saved when the server at the address may only read for a while")
        func savedThroughFailover() async throws {
            let impatient = try server.store("writer", settings: "target_session_attrs=read-write") {
                $0.outageTolerance = .zero
            }
            try await impatient.withLease(key, deadline: .seconds(5)) { lease in
                try await lease.reserve()
                try await server.sql("ALTER SYSTEM SET default_transaction_read_only = on")
                try await server.sql("SELECT pg_reload_conf()")
                try await server.end("writer")
                async let promotion: Void = {
                    try await server.sql("SELECT pg_sleep(2)")
                    try await server.sql("ALTER SYSTEM RESET default_transaction_read_only")
                    try await server.sql("SELECT pg_reload_conf()")
                }()
                let other = try server.store(settings: "target_session_attrs=read-write") { $0.outageTolerance = .zero }
                let error = try await expectStoreError(.storeUnreadable) { _ = try await other.load(key) }
                #expect(error.hint?.contains("primary") == true, "\(error)")
                _ = try await lease.save(Data("redeemed".utf8), expecting: nil)
                try await promotion
            }
            #expect(try await store.text(key) == "redeemed")
        }

        @Test("a connection to a server that may only read is not kept for the time after")
        func readOnlyConnection() async throws {
            let role = try #require(server.connection.firstMatch(of: /user=(\w+)/)?.output.1)
            let setting = "default_transaction_read_only"
            try await server.sql("ALTER ROLE \(role) SET \(setting) = on")
            let store = try server.store("reader") { $0.outageTolerance = .zero }
            let error = try await expectStoreError(.storeUnwritable) {
                try await store.withLease(key, deadline: .seconds(5)) { _ in }
            }
            try await server.sql("ALTER ROLE \(role) RESET \(setting)")
            #expect(error.received == "SQLSTATE 25006", "\(error)")
            try await store.put("one", key)
        }

        @Test("a server that refuses to listen to, after it once did, is asked again")
        func listenAgain() async throws {
            let store = try server.store("listener")
            let running = Task { try await store.run() }
            let role = try #require(server.connection.firstMatch(of: /user=(\w+)/)?.output.1)
            func listens() async throws {
                let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'listener'"
                try await eventually("it listens") { try await server.sql(count) == "1" ? true : nil }
            }
            try await listens()
            try await server.sql("ALTER ROLE \(role) NOLOGIN")
            try await server.end("listener")
            try await eventually("it is refused") {
                try server.log().contains("not permitted to log in") ? true : nil
            }
            try await server.sql("ALTER ROLE \(role) LOGIN")
            try await listens()
            running.cancel()
            try await running.value
        }

        @Test("saving fails when the lease has expired and the server is still away")
        func saveGivenUp() async throws {
            let short = try server.store {
                $0.leaseDuration = .seconds(1)
                $0.outageTolerance = .zero
            }
            let begin = ContinuousClock.now
            try await expectStoreError(.storeUnwritable) {
                try await short.withLease(key, deadline: .seconds(5)) { lease in
                    try await server.control("stop", "--mode", "immediate")
                    _ = try await lease.save(Data("redeemed".utf8), expecting: nil)
                }
            }
            #expect(ContinuousClock.now - begin < .seconds(20))
            try await server.control("start")
            #expect(try await store.load(key) == nil)
        }

        @Test("a suspended server is a clear error within bounds, with and without an open connection")
        func frozen() async throws {
            func impatient() throws -> PostgresAuthStateStore {
                try server.store {
                    $0.connectTimeout = .seconds(2)
                    $0.statementTimeout = .seconds(1)
                    $0.outageTolerance = .zero
                }
            }
            let (connected, fresh) = (try impatient(), try impatient())
            try await connected.put("one", key)
            let backends = try await server.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'tests'")
            // These are processes of the server that this suite started.
            let processes = [try server.processID()] + backends.split(separator: "\n").compactMap { pid_t($0) }
            for process in processes { kill(process, SIGSTOP) }
            let begin = ContinuousClock.now
            for store in [connected, fresh] {
                let error = try? await expectStoreError(.storeUnreadable) { _ = try await store.load(key) }
                #expect(error != nil)
            }
            let duration = ContinuousClock.now - begin
            for process in processes { kill(process, SIGCONT) }
            #expect(duration < .seconds(20))
            #expect(try await connected.text(key) == "one")
            #expect(try await fresh.text(key) == "one")
        }

        @Test("a save whose answer was lost after the commit is found to be done")
        func unknownOutcome() async throws {
            let application = "unknown-\(UUID().uuidString)"
            let store = try server.store(application)
            let probe = try await store.withLease(key, deadline: .seconds(5)) { lease in
                // With a standby that does not exist, a commit is on the disk, but its answer does not come.
                try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
                try await server.sql("SELECT pg_reload_conf()")
                let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                var probes: [Program] = []
                try await eventually("commits wait") {
                    let name = "probe\(probes.count)"
                    let command = ["psql", "\(server.admin) dbname=authstate", "-qc", "CREATE TABLE \(name) ()"]
                    probes.append(try Program.start(command))
                    return try await server.sql(waiting).isEmpty ? nil : true
                }
                async let version = lease.save(Data("done".utf8), expecting: nil)
                let end = "\(waiting) AND application_name = '\(application)'"
                try await eventually("the save waits") { try await server.sql(end).isEmpty ? nil : true }
                let old = try await server.sql("SELECT version FROM auth_states WHERE key = \(server.literal(key))")
                try await server.sql(end.replacingOccurrences(of: "pid FROM", with: "pg_terminate_backend(pid) FROM"))
                let found = try await version
                #expect(Int(found.rawValue) == Int(old).map { $0 + 1 }, "the version that the lost commit made")
                try await server.sql("ALTER SYSTEM RESET synchronous_standby_names")
                try await server.sql("SELECT pg_reload_conf()")
                return probes
            }
            for program in probe { _ = try await program.result(within: .seconds(20)) }
            #expect(try await store.text(key) == "done")
        }
    }
}
