import AuthStateKit
import AuthStateOAuth
import CBenchmarks
import Foundation

/// Renewals of several states at once, each saved durably, beside the disk writes alone.
enum FileRenewals {
    private static let states = 8

    static let benchmark = Benchmark(name: "file-renewals", rounds: 11) { rounds in
        let folder = try TemporaryFolder()
        let store = FileAuthStateStore(folder: folder.path)
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
        let floor = Contender("open, write, fsync, rename, fsync in C, a thread a file") { tasks, calls in
            let elapsed = ContinuousClock().measure {
                let result = archive.withUnsafeBytes {
                    BenchmarksDurableSave(folder.path, Int32(tasks), Int32(calls / tasks), $0.baseAddress, $0.count)
                }
                precondition(result == 0, "the floor cannot save")
            }
            return elapsed / .nanoseconds(1) / Double(calls / tasks * tasks)
        }
        let renewals = Contender("refresh(), the provider in memory", goal: .ratio(0.5)) { [restored] tasks, calls in
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
        let rows = try await compare([floor, renewals], tasks: states, calls: 400, rounds: rounds, of: .rate)
        return Report(rows, to: "the floor")
    }
}
