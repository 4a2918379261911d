import AuthStateKit
import AuthStatePostgres
import AuthStateServer
import Foundation

/// A server for many users: requests at once, each for a user that chance chooses, with renewals ahead of expiry.
struct PoolWorker {
    let users: Int
    let store: any AuthStateStore
    /// The store that listens for changes; the same one, unless it has no lease.
    let listening: PostgresAuthStateStore
    let name: String

    /// Serves until a file says to stop, then drains.
    func run(until stop: String) async throws -> WorkerReport {
        let pool = AuthStatePool(store: store, service: AuthorizationService(transport: NamedTransport(name: name)))
        return try await withThrowingTaskGroup(of: WorkerReport.self) { group in
            let background = [Task { await pool.run() }, Task { _ = try? await listening.run() }]
            for _ in 0..<32 { group.addTask { try await serve(pool, until: stop) } }
            var report = WorkerReport()
            for try await part in group { report.add(part) }
            for task in background { task.cancel() }
            await background[0].value
            return report
        }
    }

    private func serve(_ pool: AuthStatePool, until stop: String) async throws -> WorkerReport {
        var report = WorkerReport()
        while !FileManager.default.fileExists(atPath: stop) {
            let begun = ContinuousClock.now
            do {
                try await pool.withFreshToken(for: AuthStateKey("user-\(Int.random(in: 0..<users))")) { _ in }
                report.served += 1
            } catch let error as AuthStateError {
                report.add(error)
            }
            let wait = (ContinuousClock.now - begun) / .seconds(1)
            if wait > 0.1 { report.waits.append(wait) }
            try await Task.sleep(for: .milliseconds(20))
        }
        return report
    }
}
