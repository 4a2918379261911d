import AuthStateKit
import AuthStateOAuth
import AuthStatePostgres
import Foundation

/// Renewals of several states at once, each saved in PostgreSQL, beside the same statements by pgbench, and beside one durable
/// update for each.
enum PostgresRenewals {
    private static let states = 64

    static let benchmark = Benchmark(name: "postgres-renewals", rounds: 9) { rounds in
        guard let server = try PostgresServer.start() else {
            return Report("Left out: the server needs PostgreSQL and pgbench (package postgresql).")
        }
        let store = try PostgresAuthStateStore(connectionString: server.connection)
        let service = AuthorizationService(transport: InstantProvider())
        var record = try PooledStates.record(idTokenLength: nil)
        record.client.credential = .none
        let archive = try AuthStateArchive(record).data()
        var restored: [AuthState] = []
        for number in 0..<states {
            let place = AuthState.Place(store, key: PooledStates.key(number), service: service)
            try await store.put(archive, under: place.key)
            restored.append(try await AuthState.restore(at: place))
        }
        try server.makeFloor(states, archive)
        let floor = Contender("one durable UPDATE of the archive, by pgbench") { tasks, calls in
            try server.floor(tasks: tasks, calls: calls)
        }
        let statements = Contender("acquire, save, tell: the store's statements, by pgbench") { tasks, calls in
            try server.statements(tasks: tasks, calls: calls)
        }
        var renewals = Contender("refresh(), the provider in memory") { [restored] tasks, calls in
            let elapsed = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for state in restored.prefix(tasks) {
                        group.addTask { for _ in 0..<calls / tasks { _ = try await state.refresh() } }
                    }
                    try await group.waitForAll()
                }
            }
            return elapsed / .nanoseconds(1) / Double(calls / tasks * tasks)
        }
        var text: [String] = []
        var figures: [Figure] = []
        for tasks in [1, 8, states] {
            // One by itself waits for two commits.
            renewals.goal = .ratio(tasks == 1 ? 0.25 : 0.4)
            let rows = try await compare(
                [floor, statements, renewals], tasks: tasks, calls: 50 * tasks, rounds: rounds, of: .rate)
            let report = Report(rows, to: "one update")
            text.append(report.text)
            figures += report.figures
        }
        // The relay itself takes time, so that it is there without a delay too.
        let relays = try [0, 0.5].map { try server.relay(milliseconds: $0) }
        defer { withExtendedLifetime(relays) {} }
        var renewing: [Contender] = []
        for (relay, name) in zip(relays, ["refresh() through a relay", "refresh(), and 0.5 ms each way"]) {
            let store = try PostgresAuthStateStore(
                connectionString: "\(server.connection) port=\(relay.port)")
            let place = AuthState.Place(store, key: AuthStateKey(name), service: service)
            try await store.put(archive, under: place.key)
            let state = try await AuthState.restore(at: place)
            renewing.append(
                Contender(name, goal: renewing.isEmpty ? nil : .excess(2_500_000)) { count in
                    for _ in 0..<count { _ = try await state.refresh() }
                })
        }
        let report = Report(
            try await compare(renewing, tasks: 1, calls: 100, rounds: rounds), to: "the one without a delay")
        text.append(report.text)
        figures += report.figures
        return Report(text.joined(separator: "\n\n"), figures)
    }
}
