import AuthStateKit
import AuthStateOAuth
import CBenchmarks
import Foundation

/// Saving a state so that neither a crash nor a power failure loses it, beside the system calls of the same steps, and the least
/// that a durable save needs.
enum DurableSave {
    static let benchmark = Benchmark(name: "save") { rounds in
        let folder = try TemporaryFolder()
        let store = FileAuthStateStore(folder: folder.path)
        let contents = [UInt8(1), 2].map { Data(repeating: $0, count: 3_000) }
        func steps(_ name: String, hasHelper: Bool) -> Contender {
            Contender(name) { count in
                let result = contents[0].withUnsafeBytes {
                    BenchmarksPromisedSave(folder.path, hasHelper ? 1 : 0, Int32(count), $0.baseAddress, $0.count)
                }
                precondition(result == 0, "the steps in C cannot save")
            }
        }
        let contenders = [
            steps("lock and read, reserve, note and save in C, on another thread", hasHelper: true),
            steps("the same on one thread", hasHelper: false),
            Contender("open, write, fsync, rename, fsync in C") { count in
                let result = contents[0].withUnsafeBytes {
                    BenchmarksDurableSave(folder.path, 1, Int32(count), $0.baseAddress, $0.count)
                }
                precondition(result == 0, "the floor cannot save")
            },
            Contender("save, within a lease") { count in
                try await store.withLease("bare", deadline: .seconds(30)) { lease in
                    var version = try await lease.load()?.version
                    for number in 0..<count {
                        version = try await lease.save(contents[number % 2], expecting: version)
                    }
                }
            },
            Contender("withLease, load, reserve, saveLast", goal: .ratio(1.3)) { count in
                for number in 0..<count {
                    try await store.withLease("whole", deadline: .seconds(30)) { lease in
                        let version = try await lease.load()?.version
                        try await lease.reserve()
                        _ = try await lease.saveLast(contents[number % 2], expecting: version)
                    }
                }
            },
        ]
        let rows = try await compare(contenders, tasks: 1, calls: 200, rounds: rounds)
        return Report(rows, to: "the steps in C on another thread")
    }
}
