import AuthStateKit
import AuthStateOAuth
import CBenchmarks
import Foundation

/// Reading a token that is fresh: what a program does before each of its requests.
enum HotPath {
    static let benchmarks = [
        Benchmark(name: "hot-path-1") { try await report(tasks: 1, goals: (read: 0.7, body: 1.2), rounds: $0) },
        Benchmark(name: "hot-path-8", rounds: 25) {
            try await report(tasks: 8, goals: (read: 2, body: 2), rounds: $0)
        },
        Benchmark(name: "hot-path-allocations") { _ in try await allocations() },
    ]

    private static func report(tasks: Int, goals: (read: Double, body: Double), rounds: Int) async throws -> Report {
        let go = GoPeer.start().map(goContender)
        let ours = try await calls().map { call in
            // The goals are ratios to Go.
            let goal = call.seesOthers ? nil : Goal.ratio(call.takesBody ? goals.body : goals.read)
            return Contender(call.name, goal: go == nil ? nil : goal, body: call.body)
        }
        let contenders = [go, hopContender()].compactMap { $0 } + ours
        let rows = try await compare(contenders, tasks: tasks, calls: 1_000_000, rounds: rounds)
        return Report(rows, to: contenders[0].name)
    }

    private struct Call {
        let name: String
        var takesBody = false
        /// Whether other processes may change the state, which Go's source knows nothing of.
        var seesOthers = false
        let body: @Sendable (Int) async throws -> Void
    }

    /// States as programs have them: restored from a store, which tells them of changes by others.
    private static func calls() async throws -> [Call] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("authstate-hot-path").path
        let state = try await restored(from: InMemoryAuthStateStore())
        let stateInFile = try await restored(from: FileAuthStateStore(folder: folder))
        return [
            Call(name: "tokensIfFresh()") { count in
                var bytes = 0
                for _ in 0..<count { bytes += state.tokensIfFresh()?.accessToken.utf8.count ?? 0 }
                check(bytes, count)
            },
            Call(name: "freshTokens()") { count in
                var bytes = 0
                for _ in 0..<count { bytes += try await state.freshTokens().accessToken.utf8.count }
                check(bytes, count)
            },
            Call(name: "freshTokens(), state in a file", seesOthers: true) { count in
                var bytes = 0
                for _ in 0..<count { bytes += try await stateInFile.freshTokens().accessToken.utf8.count }
                check(bytes, count)
            },
            Call(name: "withFreshToken { }", takesBody: true) { count in
                var bytes = 0
                for _ in 0..<count { bytes += try await state.withFreshToken { $0.accessToken.utf8.count } }
                check(bytes, count)
            },
        ]
    }

    private static func hopContender() -> Contender {
        let holder = Holder(token: heapString())
        return Contender("a bare actor hop") { count in
            var bytes = 0
            for _ in 0..<count { bytes += await holder.read().utf8.count }
            check(bytes, count)
        }
    }

    private static func goContender(_ peer: Peer) -> Contender {
        Contender("Go's Token()") { tasks, calls in
            try peer.send("\(tasks) \(calls)")
            guard let line = peer.line(), let nanoseconds = Double(line) else { throw CocoaError(.fileReadUnknown) }
            return nanoseconds
        }
    }

    /// Blocks that a million calls ask malloc for, less what the loop around them needs.
    private static func allocations() async throws -> Report {
        guard BenchmarksCountsAllocations() != 0 else { return Report("Not counted on this platform.") }
        let million = 1_000_000
        let control = Call(name: "making a string, as a control") { count in
            var bytes = 0
            for _ in 0..<count { bytes += heapString().utf8.count }
            check(bytes, count)
        }
        var rows: [[String]] = []
        for call in try await calls() + [control] {
            // The first call makes what is made once, the second tells what the loop needs.
            try await call.body(1)
            let start = BenchmarksAllocations()
            try await call.body(1)
            let loop = BenchmarksAllocations()
            try await call.body(million + 1)
            let end = BenchmarksAllocations()
            rows.append([call.name, "\(Int64(end - loop) - Int64(loop - start))"])
        }
        return Report(table(["", "allocations in 1,000,000 calls"], rows))
    }

    /// Literals have no reference count, and short strings none either: they would flatter the figures.
    private static func heapString() -> String {
        String(repeating: "2YotnFZFEjr1zCsicMWpAA", count: 40)
    }

    private static func check(_ bytes: Int, _ count: Int) { precondition(bytes == count * 880, "wrong token") }

    private static func restored(from store: any AuthStateStore) async throws -> AuthState {
        let now = Date()
        var record = AuthState.Record(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://op.example/token")!),
                id: "benchmark"))
        record.lastTokenResponse = TokenResponse(
            accessToken: heapString(), issuedAt: now,
            accessTokenExpirationDate: now.addingTimeInterval(86_400), refreshToken: heapString(),
            scope: heapString())
        record.refreshToken = record.lastTokenResponse?.refreshToken
        let archive = try AuthStateArchive(record).data()
        try await store.withLease(.default, deadline: .seconds(5)) { lease in
            _ = try await lease.save(archive, expecting: lease.load()?.version)
        }
        return try await AuthState.restore(at: AuthState.Place(store, service: AuthorizationService()))
    }
}

/// The simplest way to share a token: an actor that holds it.
private actor Holder {
    private let token: String
    private var reads = 0
    init(token: String) { self.token = token }

    /// Counts, because a compiler that sees nothing of the actor's state being used leaves out the hop.
    @inline(never) func read() -> String {
        reads += 1
        return token
    }
}
