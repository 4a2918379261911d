import AuthStateKit
import AuthStateOAuth
import AuthStateSQLite
import Foundation

/// States in one file of SQLite: a save, renewals of several states at once, and what many users cost there and in files.
enum SQLiteStates {
    static let benchmarks = [
        Benchmark(name: "sqlite-save", rounds: 9, report: save),
        Benchmark(name: "sqlite-renewals", rounds: 7, report: renewals),
        // The rounds are the users, at most.
        Benchmark(name: "users", rounds: 10_000, report: users),
    ]

    private static func save(rounds: Int) async throws -> Report {
        let folder = try TemporaryFolder()
        let store = try SQLiteAuthStateStore(file: folder.path + "/states.db")
        let contents = [UInt8(1), 2].map { Data(repeating: $0, count: 3_000) }
        let floor = try Peer(["python3", "-c", script, folder.path + "/floor.db", "3000"])
        let statements = Contender("BEGIN, two UPDATEs, COMMIT, by Python's sqlite3") { _, calls in
            try floor.send("\(calls)")
            guard let line = floor.line(), let time = Double(line) else { throw CocoaError(.fileReadUnknown) }
            return time
        }
        let files = FileAuthStateStore(folder: folder.path)
        let contenders = [
            Contender("withLease, load, reserve, saveLast: in a file") { count in
                for number in 0..<count { try await files.renew("whole", contents[number % 2]) }
            },
            Contender("the same in SQLite", goal: .ratio(0.8)) { count in
                for number in 0..<count { try await store.renew("whole", contents[number % 2]) }
            },
            Contender("save, within a lease, in SQLite") { count in
                try await store.withLease("bare", deadline: .seconds(30)) { lease in
                    var version = try await lease.load()?.version
                    for number in 0..<count {
                        version = try await lease.save(contents[number % 2], expecting: version)
                    }
                }
            },
            statements,
        ]
        return Report(try await compare(contenders, tasks: 1, calls: 200, rounds: rounds), to: "a file")
    }

    /// The same tables, settings and statements; answers a number of saves with the nanoseconds of one.
    private static let script = """
        import os, sqlite3, sys, time
        c = sqlite3.connect(sys.argv[1], isolation_level=None)
        for each in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "journal_size_limit=4194304"):
            c.execute("PRAGMA " + each).fetchall()
        c.execute("CREATE TABLE states (key BLOB PRIMARY KEY, version, saved, archive) WITHOUT ROWID")
        c.execute("CREATE TABLE archives (id INTEGER PRIMARY KEY, content)")
        key, size = os.urandom(32), int(sys.argv[2])
        c.execute("INSERT INTO archives VALUES (1, ?)", (os.urandom(size),))
        c.execute("INSERT INTO states VALUES (?, 0, 0, 1)", (key,))
        for line in sys.stdin:
            contents = [os.urandom(size) for _ in range(2)]
            start = time.perf_counter_ns()
            for number in range(int(line)):
                c.execute("BEGIN IMMEDIATE")
                c.execute("UPDATE archives SET content = ? WHERE id = ?", (contents[number % 2], 1))
                c.execute("UPDATE states SET version = ?, saved = ? WHERE key = ?", (number, time.time(), key))
                c.execute("COMMIT")
            print((time.perf_counter_ns() - start) / int(line), flush=True)
        """

    private static func renewals(rounds: Int) async throws -> Report {
        let folder = try TemporaryFolder()
        let service = AuthorizationService(transport: InstantProvider())
        var record = try PooledStates.record(idTokenLength: nil)
        record.client.credential = .none
        let archive = try AuthStateArchive(record).data()
        var contenders: [Contender] = []
        for (name, store, goal) in [
            ("refresh(), each in a file", FileAuthStateStore(folder: folder.path), nil),
            ("refresh(), all in SQLite", try SQLiteAuthStateStore(file: folder.path + "/states.db"), .ratio(1)),
        ] as [(String, any AuthStateStore, Goal?)] {
            var states: [AuthState] = []
            for number in 0..<64 {
                let place = AuthState.Place(store, key: PooledStates.key(number), service: service)
                try await store.put(archive, under: place.key)
                states.append(try await AuthState.restore(at: place))
            }
            contenders.append(
                Contender(name, goal: goal) { [states] tasks, calls in
                    let elapsed = try await ContinuousClock().measure {
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for state in states.prefix(tasks) {
                                group.addTask { for _ in 0..<calls / tasks { _ = try await state.refresh() } }
                            }
                            try await group.waitForAll()
                        }
                    }
                    return elapsed / .nanoseconds(1) / Double(calls / tasks * tasks)
                })
        }
        var reports: [Report] = []
        for tasks in [1, 8, 64] {
            let rows = try await compare(contenders, tasks: tasks, calls: 50 * tasks, rounds: rounds, of: .rate)
            reports.append(Report(rows, to: "files"))
        }
        return Report(reports.map(\.text).joined(separator: "\n\n"), reports.flatMap(\.figures))
    }

    private static func users(most: Int) async throws -> Report {
        let archive = try AuthStateArchive(PooledStates.record(idTokenLength: 1_024)).data()
        var rows: [[String]] = []
        for count in [10, 10_000, 1_000_000] where count <= most {
            for name in ["SQLite", "files"] where name == "SQLite" || count <= 10_000 {
                let folder = try TemporaryFolder()
                let store: any AuthStateStore =
                    name == "SQLite"
                    ? try SQLiteAuthStateStore(file: folder.path + "/states.db")
                    : FileAuthStateStore(folder: folder.path)
                let filling = try await fill(store, count, archive)
                var random = (0..<2_000).map { _ in PooledStates.key(.random(in: 0..<count)) }
                let loading = try await microseconds(random) { _ = try await store.load($0) }
                random.removeLast(1_800)
                let saving = try await microseconds(random) { try await store.renew($0, archive) }
                let listing = try await microseconds(["all"]) { _ in
                    let entries = try await store.entries(savedBefore: .distantFuture)
                    precondition(entries.count == count, "states are missing")
                }
                let (files, bytes) = try contents(of: folder.path)
                rows.append([
                    "\(count)", name, "\(files)", String(format: "%.1f MB", Double(bytes) / 1e6),
                    String(format: "%.0f", Double(count) / filling), String(format: "%.0f µs", loading.median),
                    String(format: "%.0f µs", saving.median), String(format: "%.3f s", listing.median / 1e6),
                ])
            }
        }
        let header = [
            "users", "store", "files", "on the disk", "first saves a second", "a look-up", "lease, load, reserve, save",
            "list of all",
        ]
        return Report("An archive has \(archive.count) bytes.\n\n" + table(header, rows))
    }

    /// Saves the states, 512 at a time; the seconds that it takes.
    private static func fill(_ store: any AuthStateStore, _ count: Int, _ archive: Data) async throws -> Double {
        let tasks = min(512, count)
        let elapsed = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for user in stride(from: task, to: count, by: tasks) {
                            try await store.put(archive, under: PooledStates.key(user))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return elapsed / .seconds(1)
    }

    private static func microseconds(
        _ keys: [AuthStateKey], _ body: (AuthStateKey) async throws -> Void
    ) async throws -> Spread {
        var times: [Double] = []
        for key in keys {
            times.append(try await ContinuousClock().measure { try await body(key) } / .microseconds(1))
        }
        return Spread(times)
    }

    /// The number of files in a folder, and the bytes that they take on the disk.
    private static func contents(of folder: String) throws -> (files: Int, bytes: Int) {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let bytes = names.reduce(0) { sum, name in
            var status = stat()
            return stat("\(folder)/\(name)", &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
        }
        return (names.count, bytes)
    }
}

extension AuthStateStore {
    /// The store's part of a renewal.
    func renew(_ key: AuthStateKey, _ content: Data) async throws {
        try await withLease(key, deadline: .seconds(30)) { lease in
            let version = try await lease.load()?.version
            try await lease.reserve()
            _ = try await lease.saveLast(content, expecting: version)
        }
    }
}
