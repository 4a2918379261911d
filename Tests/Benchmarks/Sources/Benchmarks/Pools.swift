import AuthStateKit
import AuthStateOAuth
import AuthStateServer
import Foundation
import Synchronization

/// A pool of 100,000 users: its memory, its lookups, its renewals.
enum Pools {
    static let benchmarks = [
        // First, in a process that has not used its memory for anything else.
        Benchmark(name: "pool-memory") { _ in try await memory() },
        Benchmark(name: "pool-lookup-1", rounds: 7) { try await lookups(tasks: 1, rounds: $0) },
        Benchmark(name: "pool-lookup-8", rounds: 7) { try await lookups(tasks: 8, rounds: $0) },
        Benchmark(name: "pool-renewals", rounds: 3) { try await renewals(rounds: $0) },
    ]

    private static let users = 100_000
    private static let bytesGoal = Goal.value(2_500)

    // MARK: Memory

    private static func memory() async throws -> Report {
        // Allocations that are made once are not a state's.
        _ = try await loadedPool(users: 100, idTokenLength: 800)
        var rows: [[String]] = []
        var figures: [Figure] = []
        for (name, count, length) in [
            ("access token of 1 KB, refresh token", users, nil), ("and an ID token of 1 KB", users / 10, 1_024),
        ] as [(String, Int, Int?)] {
            let before = residentBytes()
            let pool = try await length == nil ? Large.shared.pool() : loadedPool(users: count, idTokenLength: length)
            let bytes = Double(residentBytes() - before)
            precondition(pool.statistics.loaded == count, "states are missing")
            let figure = Figure("each state", .bytes, value: bytes / Double(count), goal: bytesGoal)
            if count == users { figures.append(figure) }
            rows.append([
                name, "\(count)", "\(try PooledStates(idTokenLength: length).archiveLength)",
                String(format: "%.0f", figure.value), String(format: "%.0f MB", bytes / 1e6),
                count == users ? figure.verdict ?? "" : "",
            ])
        }
        return Report(
            table(
                ["states, each with", "number", "bytes of an archive", "bytes in memory each", "in all", "goal"], rows),
            figures)
    }

    /// The pool of 100,000, made once.
    private actor Large {
        static let shared = Large()
        private var made: Task<AuthStatePool, any Error>?

        func pool() async throws -> AuthStatePool {
            let made = made ?? Task { try await loadedPool(users: users, idTokenLength: nil) }
            self.made = made
            return try await made.value
        }
    }

    private static func loadedPool(users: Int, idTokenLength: Int?) async throws -> AuthStatePool {
        var options = AuthStatePool.Options()
        options.capacity = users
        // A lookup is of a state that need not be compared with the store.
        options.state.storeCheckInterval = .seconds(86_400)
        let pool = AuthStatePool(store: try PooledStates(idTokenLength: idTokenLength), options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for user in stride(from: task, to: users, by: 4) {
                        _ = try await pool.state(for: PooledStates.key(user))
                    }
                }
            }
            try await group.waitForAll()
        }
        return pool
    }

    /// The process's memory in use; 0 where there is no procfs.
    static func residentBytes() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { Int($0[1]) } ?? 0) * Int(getpagesize())
    }

    // MARK: Lookups

    private static func lookups(tasks: Int, rounds: Int) async throws -> Report {
        let pool = try await Large.shared.pool()
        let keys = (0..<users).map(PooledStates.key).shuffled()
        let contenders =
            [floor(keys)]
            + [
                Contender("loadedState(for:)", goal: .ratio(3)) { count in
                    var found = 0
                    for index in starts(count) where pool.loadedState(for: keys[index]) != nil { found += 1 }
                    precondition(found == count, "a state is missing")
                },
                Contender("freshTokens(for:)", goal: .ratio(3.8)) { count in
                    var bytes = 0
                    for index in starts(count) {
                        bytes += try await pool.freshTokens(for: keys[index]).accessToken.utf8.count
                    }
                    precondition(bytes == count * 1_024, "wrong token")
                },
                Contender("withFreshToken(for:) { }", goal: .ratio(4.5)) { count in
                    var bytes = 0
                    for index in starts(count) {
                        bytes += try await pool.withFreshToken(for: keys[index]) { $0.accessToken.utf8.count }
                    }
                    precondition(bytes == count * 1_024, "wrong token")
                },
            ]
        let rows = try await compare(contenders, tasks: tasks, calls: 400_000, rounds: rounds)
        return Report(rows, to: contenders[0].name)
    }

    /// The least that a lookup of an object by its name takes.
    private static func floor(_ keys: [AuthStateKey]) -> Contender {
        final class Holder: Sendable {
            let objects = Mutex<[String: AnyObject & Sendable]>([:])
        }
        final class Object: Sendable {}
        let holder = Holder()
        holder.objects.withLock { objects in for key in keys { objects[key.rawValue] = Object() } }
        return Contender("a dictionary under a mutex") { count in
            var found = 0
            for index in starts(count) where holder.objects.withLock({ $0[keys[index].rawValue] }) != nil { found += 1 }
            precondition(found == count, "an object is missing")
        }
    }

    /// So many places among the users, from a random one on.
    private static func starts(_ count: Int) -> LazyMapSequence<Range<Int>, Int> {
        let start = Int.random(in: 0..<users)
        return (0..<count).lazy.map { (start + $0) % users }
    }

    // MARK: Renewals

    private static func renewals(rounds: Int) async throws -> Report {
        let (users, tasks) = (5_000, 8)
        var rates: [Double] = []
        for _ in 0..<rounds {
            let store = InMemoryAuthStateStore()
            let pool = AuthStatePool(store: store, service: AuthorizationService(transport: InstantProvider()))
            for user in 0..<users { try await store.put(endedLogin(), under: PooledStates.key(user)) }
            for user in 0..<users { _ = try await pool.state(for: PooledStates.key(user)) }
            let elapsed = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<tasks {
                        group.addTask {
                            for user in stride(from: task, to: users, by: tasks) {
                                _ = try await pool.freshTokens(for: PooledStates.key(user))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            rates.append(Double(users) / (elapsed / .seconds(1)))
        }
        let name = "lease, reading, request, answer, saving; the provider and the store in memory"
        let rate = Spread(rates).text { String(format: "%.0f", $0) }
        return Report(table(["", "tasks", "renewals a second"], [[name, "\(tasks)", rate]]))
    }

    private static func endedLogin() throws -> Data {
        var record = try PooledStates.record(idTokenLength: nil)
        record.lastTokenResponse?.accessTokenExpirationDate = Date(timeIntervalSince1970: 1)
        record.client.credential = .none
        return try AuthStateArchive(record).data()
    }
}

extension AuthStateStore {
    func put(_ archive: Data, under key: AuthStateKey) async throws {
        try await withLease(key, deadline: .seconds(10)) { lease in
            _ = try await lease.save(archive, expecting: try await lease.load()?.version)
        }
    }
}
