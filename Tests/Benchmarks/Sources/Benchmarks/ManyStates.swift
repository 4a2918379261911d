import AuthStateKit
import AuthStateOAuth
import AuthStatePostgres
import AuthStateServer
import AuthStateStorage
import Foundation

/// What a server of many users does, in a table of PostgreSQL with many states, beside a table that has only those it works with.
enum ManyStates {
    // The rounds are the states.
    static let benchmarks = [
        Benchmark(name: "ten-million", rounds: 100_000, report: states),
        Benchmark(name: "pool-million", rounds: 100_000, report: pool),
    ]

    /// The states that are worked with.
    private static let active = 1_000
    private static let goal = Goal.ratio(1.5)

    private static func states(count: Int) async throws -> Report {
        guard let server = try PostgresServer.start() else {
            return Report("Left out: the server needs PostgreSQL and pgbench (package postgresql).")
        }
        // As a server for many states has it; what fills a new table is written once, and not into a log besides.
        try server.restart([
            "shared_buffers = '2GB'", "maintenance_work_mem = '512MB'", "max_wal_size = '2GB'", "wal_level = minimal",
            "max_wal_senders = 0",
        ])
        let archives = try archives()
        let lines = archives.enumerated().map { "\($0)\t\\\\x" + $1.map { String(format: "%02x", $0) }.joined() + "\n" }
        let file = try server.write(lines.joined(), as: "archives")
        try server.sql("CREATE TABLE archives (id int PRIMARY KEY, archive bytea)")
        try server.sql("\\copy archives FROM '\(file)'")
        let few = try await ManyTable(server, "few", count: 0)
        let many = try await ManyTable(server, "many", count: count)
        let filling = try ContinuousClock().measure { try many.fill() } / .seconds(1)
        for table in [few, many] {
            for user in table.active { try await table.store.put(archives[0], under: PooledStates.key(user)) }
        }
        // The archives need it not: they are new.
        for schema in ["few", "many"] {
            try server.sql("VACUUM (ANALYZE, PROCESS_TOAST false) \(schema).auth_states")
        }
        try server.sql("CHECKPOINT", as: server.admin)
        let filled = try many.sizes()
        var text: [String] = []
        // A long run shows its parts as they come.
        func add(_ part: String) {
            text.append(part)
            if count >= 1_000_000 { FileHandle.standardError.write(Data("\(part)\n\n".utf8)) }
        }
        add("\(count) states of \(archives[0].count) bytes, written in \(String(format: "%.0f", filling)) s.")
        var figures: [Figure] = []
        for (name, number, call) in works {
            // Of the states one in a thousand has ended: a sweep's own work grows with them, its search with all.
            let calls = name == sweep ? max(1_000, count / 1_000) : number
            var contenders = [
                Contender("\(name), \(active) states") { _, calls in try await call(few, few.active, calls) },
                Contender("\(name), beside \(count) others", goal: goal) { _, calls in
                    try await call(many, many.active, calls)
                },
            ]
            // A sweep finds its own.
            if name != sweep {
                contenders.append(
                    Contender("\(name), any of the \(count)") { _, calls in try await call(many, many.any, calls) })
            }
            let report = Report(
                try await compare(contenders, tasks: 1, calls: calls, rounds: 5), to: "the small table")
            add(report.text)
            figures += report.figures
        }
        let used = try many.sizes()
        let renewals = min(count, 1_000_000)
        let changes = try many.renew(renewals)
        let renewed = try many.sizes()
        let cleaning = try ContinuousClock().measure { try server.sql("VACUUM many.auth_states") } / .seconds(1)
        add(
            table(
                ["the large table"] + ManyTable.sizeHeader,
                [
                    ["filled"] + filled, ["after the work above"] + used, ["after \(renewals) renewals"] + renewed,
                    ["after VACUUM, \(String(format: "%.0f", cleaning)) s"] + (try many.sizes()),
                ]))
        add(
            "\(changes[0]) of the changes left the index alone; \(changes[1]) renewals a second, by one client.")
        add(try await fillFactors(server, count: max(1_000, count / 500)))
        return Report(text.joined(separator: "\n\n"), figures)
    }

    /// The work that is measured: in a table, on users of it, so many times; the nanoseconds of each.
    private typealias Work = @Sendable (_ table: ManyTable, _ users: Range<Int>, _ calls: Int) async throws -> Double

    private static let sweep = "a sweep, for each ended state"

    private static let works: [(name: String, calls: Int, work: Work)] = [
        (
            "a look-up", 500,
            { table, users, calls in
                try await nanoseconds(calls) {
                    let found = try await table.store.load(PooledStates.key(.random(in: users)))
                    precondition(found != nil, "a state is missing")
                }
            }
        ),
        (
            "lease, load, reserve, save", 300,
            { table, users, calls in
                let record = try PooledStates.record(idTokenLength: nil, of: PooledStates.smallDocument)
                let content = try AuthStateArchive(record).data()
                return try await nanoseconds(calls) {
                    try await table.store.renew(PooledStates.key(.random(in: users)), content)
                }
            }
        ),
        (
            "a back-channel logout", 200,
            { table, users, calls in
                let chosen = Set((0..<calls).map { _ in Int.random(in: users) })
                for user in chosen { try await table.logIn(user) }
                var rest = chosen.makeIterator()
                return try await nanoseconds(chosen.count) {
                    guard let user = rest.next() else { return }
                    let outcome = try await table.pool.logOut(user: "user-\(user)", at: try Issuer(PooledStates.issuer))
                    precondition(outcome.ended.count == 1, "no session ended")
                }
            }
        ),
        (
            sweep, 1_000,
            { table, _, calls in
                try table.abandon(calls)
                let elapsed = try await ContinuousClock().measure {
                    let outcome = try await table.sweeping.sweep(olderThan: .seconds(60 * 86_400))
                    precondition(outcome.deleted == calls, "\(outcome)")
                }
                return elapsed / .nanoseconds(1) / Double(calls)
            }
        ),
    ]

    private static func nanoseconds(_ calls: Int, _ body: () async throws -> Void) async throws -> Double {
        try await ContinuousClock().measure { for _ in 0..<calls { try await body() } } / .nanoseconds(1)
            / Double(calls)
    }

    /// Archives whose secrets are random, so that the database compresses of them what it could of real ones; of a provider with a
    /// small document, for the disk's sake.
    private static func archives() throws -> [Data] {
        var record = try PooledStates.record(idTokenLength: nil, of: PooledStates.smallDocument)
        record.client.credential = .none
        let archive = try AuthStateArchive(record).data()
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let filler = UInt8(ascii: "x")
        return (0..<1_000).map { _ in
            var copy = archive
            for index in copy.indices where copy[index] == filler {
                // Words have no two of them.
                let isToken = index > copy.startIndex && archive[index - 1] == filler || archive[index + 1] == filler
                if isToken { copy[index] = digits.randomElement() ?? filler }
            }
            return copy
        }
    }

    /// How much of the space of a page is filled at first, and what renewals then do to the table.
    private static func fillFactors(_ server: PostgresServer, count: Int) async throws -> String {
        var rows: [[String]] = []
        for factor in [100, 90, 70, 50] {
            let table = try await ManyTable(server, "filled\(factor)", count: count)
            try server.sql("ALTER TABLE filled\(factor).auth_states SET (fillfactor = \(factor))")
            try table.fill()
            try server.sql("VACUUM ANALYZE filled\(factor).auth_states")
            let before = try table.sizes()
            let changes = try table.renew(count * 2)
            let after = try table.sizes()
            // What a backup may still read is not removed from its page.
            let backup = try Peer(["psql", server.connection, "--quiet", "--tuples-only"])
            try backup.send("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM archives;")
            _ = backup.line()
            let beside = try withExtendedLifetime(backup) { try table.renew(count / 10) }
            rows.append(["\(factor)", changes[0], beside[0]] + zip(before, after).map { "\($0) → \($1)" })
        }
        return
            "\(count) states in a table for each fill factor, each renewed twice, and a tenth beside a backup:\n\n"
            + table(
                ["fill factor", "changes that leave the index alone", "beside a backup"] + ManyTable.sizeHeader, rows)
    }

    // MARK: The pool

    /// A pool of so many states, one in a hundred of which has expired, and what it costs to look after them.
    private static func pool(count: Int) async throws -> Report {
        let store = try RenewingStates(PooledStates(idTokenLength: nil))
        var options = AuthStatePool.Options()
        options.capacity = count
        options.state.storeCheckInterval = .seconds(86_400)
        options.idleTime = .seconds(86_400)
        let pool = AuthStatePool(
            store: store, service: AuthorizationService(transport: InstantProvider()), options: options)
        let before = Pools.residentBytes()
        let loading = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for user in stride(from: task, to: count, by: 4) {
                            _ = try await pool.state(for: PooledStates.key(user))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let bytes = Double(Pools.residentBytes() - before)
        let running = Task { await pool.run() }
        let due = (count + 99) / 100
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        while pool.statistics.renewalsAhead < due { try await clock.sleep(for: .milliseconds(20)) }
        let renewing = (clock.now - start) / .seconds(1)
        // All are fresh now: what is left is looking for those that are due.
        try await clock.sleep(for: .seconds(2))
        let (cpu, wall) = (Processors.timeOfThisProcess(), clock.now)
        try await clock.sleep(for: .seconds(10))
        let idle = (Processors.timeOfThisProcess() - cpu) / ((clock.now - wall) / .nanoseconds(1))
        running.cancel()
        await running.value
        return Report(
            table(
                [
                    "states", "loaded a second", "bytes each", "in all", "expired ones renewed", "in",
                    "looking after them",
                ],
                [
                    [
                        "\(count)", String(format: "%.0f", Double(count) / (loading / .seconds(1))),
                        String(format: "%.0f", bytes / Double(count)), String(format: "%.0f MB", bytes / 1e6), "\(due)",
                        String(format: "%.1f s", renewing), String(format: "%.1f %% of a processor", idle * 100),
                    ]
                ]))
    }
}

/// A table of the store in a schema of its own.
private final class ManyTable {
    let server: PostgresServer
    let store: PostgresAuthStateStore
    /// Finds sessions by their users.
    let pool: AuthStatePool
    /// Sweeps without an index.
    let sweeping: AuthStatePool
    let active: Range<Int>
    /// Active ones, and others.
    let any: Range<Int>
    private let schema: String
    private let count: Int

    init(_ server: PostgresServer, _ schema: String, count: Int) async throws {
        (self.server, self.schema, self.count) = (server, schema, count)
        active = count..<(count + 1_000)
        any = 0..<(count + 1_000)
        try server.sql("CREATE SCHEMA \(schema)")
        store = try PostgresAuthStateStore(
            connectionString: "\(server.connection) options='-c search_path=\(schema)'")
        try await store.createSchema()
        let service = AuthorizationService(transport: InstantProvider())
        pool = AuthStatePool(store: IndexedAuthStateStore(store), service: service)
        sweeping = AuthStatePool(store: store, service: service)
    }

    /// Makes the states of the users before the active ones, by SQL; the index follows, which is faster.
    func fill() throws {
        try server.sql(
            """
            ALTER TABLE \(schema).auth_states DROP CONSTRAINT auth_states_pkey;
            TRUNCATE \(schema).auth_states;
            \(insertion(Self.key("number"), of: count, savedAt: "clock_timestamp()"));
            ALTER TABLE \(schema).auth_states ADD PRIMARY KEY (key)
            """)
    }

    /// The key of a user as the table has it.
    private static func key(_ number: String) -> String {
        "sha256(convert_to('session-6f1d2c3b-' || lpad((\(number))::text, 8, '0'), 'UTF8'))"
    }

    /// Makes states that were saved a long time ago.
    func abandon(_ number: Int) throws {
        let time = "clock_timestamp() - interval '90 days'"
        try server.sql(insertion("sha256(convert_to('abandoned-' || number, 'UTF8'))", of: number, savedAt: time))
    }

    private func insertion(_ key: String, of number: Int, savedAt time: String) -> String {
        """
        INSERT INTO \(schema).auth_states (key, archive, updated_at)
        SELECT \(key), archive, \(time)
        FROM generate_series(0, \(number) - 1) AS number JOIN archives ON id = number % 1000
        """
    }

    /// Stores a login that the index finds.
    func logIn(_ user: Int) async throws {
        let claims =
            #"{"iss":"\#(PooledStates.issuer)","sub":"user-\#(user)","sid":"session-\#(user)","aud":"web-application","#
            + #""iat":\#(Int(Date().timeIntervalSince1970)),"exp":4102444800}"#
        var record = try PooledStates.record(idTokenLength: nil, of: PooledStates.smallDocument)
        record.client.credential = .none
        record.grantID = "\(UInt64.random(in: 0...UInt64.max))"
        record.idToken = [#"{"alg":"RS256"}"#, claims, "signature"]
            .map { Data($0.utf8).base64EncodedString().filter { $0 != "=" } }.joined(separator: ".")
        record.lastTokenResponse?.idToken = record.idToken
        try await IndexedAuthStateStore(store).put(try AuthStateArchive(record).data(), under: PooledStates.key(user))
    }

    /// The megabytes of the table and of its indexes.
    func sizes() throws -> [String] {
        let sizes = try server.sql(
            """
            SELECT pg_relation_size(c.oid), pg_indexes_size(c.oid), pg_relation_size(t.oid), pg_indexes_size(t.oid)
            FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid WHERE c.oid = '\(schema).auth_states'::regclass
            """)
        return sizes.split(separator: "|").map { String(format: "%.0f", (Double($0) ?? .nan) / 1e6) }
    }

    static let sizeHeader = ["rows", "their index", "archives", "their index"].map { "\($0), MB" }

    /// Renews so many states, chosen at random, as the store does: sixteen keys share a transaction.
    ///
    /// - Returns: The part of the changes that left the index alone, and the renewals in a second.
    func renew(_ number: Int) throws -> [String] {
        let keys = 0..<16
        var script = ""
        for key in keys { script += "\\set k\(key) random(0, \(max(1, count) - 1))\n\\set a\(key) random(0, 999)\n" }
        for change in [
            "lease_owner = gen_random_uuid(), lease_expires_at = clock_timestamp() + interval '30 s'",
            """
            archive = (SELECT archive FROM archives WHERE id = :aN), version = DEFAULT, updated_at = clock_timestamp(), \
            lease_owner = NULL, lease_expires_at = NULL
            """,
        ] {
            script += "\\startpipeline\n"
            // In the order of the users, which is not that of the keys: one client.
            for key in keys {
                script +=
                    "UPDATE \(schema).auth_states SET \(change.replacing("aN", with: "a\(key)")) WHERE key = "
                    + "\(Self.key(":k\(key)::int")) RETURNING version;\n"
            }
            script += "\\endpipeline\n"
        }
        _ = try server.write(script, as: "renewals.sql")
        let before = try changes()
        let time = try server.bench("renewals.sql", ["--protocol=prepared"], tasks: 1, calls: max(1, number / 16))
        let after = try changes()
        return [
            percentage((after[1] - before[1]) / (after[0] - before[0])), String(format: "%.0f", 16e9 / time),
        ]
    }

    /// The changes of rows, and those among them that left the index alone.
    private func changes() throws -> [Double] {
        try server.sql(
            """
            SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
            WHERE relid = '\(schema).auth_states'::regclass
            """
        ).split(separator: "|").map { Double($0) ?? .nan }
    }
}

extension String {
    fileprivate func replacing(_ text: String, with other: String) -> String {
        replacingOccurrences(of: text, with: other)
    }
}

/// The states of `PooledStates`, one in a hundred of them expired; what is saved is not kept.
private struct RenewingStates: AuthStateStore {
    private let fresh: PooledStates
    private let expired: Data

    init(_ fresh: PooledStates) throws {
        self.fresh = fresh
        var record = try PooledStates.record(idTokenLength: nil)
        record.lastTokenResponse?.accessTokenExpirationDate = Date(timeIntervalSince1970: 1)
        record.client.credential = .none
        expired = try AuthStateArchive(record).data()
    }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        guard key.rawValue.hasSuffix("00") else { return try await fresh.load(key) }
        return StoredAuthState(archive: expired, version: .init(rawValue: "1"))
    }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { await fresh.watch(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R { try await body(Lease(store: self, key: key)) }

    private struct Lease: AuthStateLease {
        let store: RenewingStates
        let key: AuthStateKey

        func load() async throws -> StoredAuthState? { try await store.load(key) }
        func reserve() async throws {}
        func save(
            _ archive: Data, expecting: StoredAuthState.Version?
        ) async throws -> StoredAuthState.Version { .init(rawValue: "2") }
        func delete(expecting: StoredAuthState.Version?) async throws {}
    }
}
