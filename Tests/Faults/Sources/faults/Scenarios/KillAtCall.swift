import AuthStateKit
import AuthStateTesting
import Foundation

/// `kill -9` before each system call that a process makes on the files of a database.
enum KillAtCall {
    static let scenario = Scenario(
        name: "packed-kill",
        claim: "a process is killed between any two system calls on its database: the next one goes on",
        twins: [.grace], run: run)

    private static func run(_ conditions: Conditions) async throws -> Findings {
        var findings = Findings()
        let world = try await World(lifetime: 0.001, grace: conditions.without == .grace ? 0 : 60, kind: .sqlite)
        var (kept, replaced, lost, times) = (0, 0, 0, [Double]())
        var call = 0
        while true {
            call += 1
            let before = try await world.stored().refreshToken
            var task = world.task
            task.killAtCall = call
            let killed = try await WorkerProcess.run(task)
            if killed.status != WorkerResult.killed {
                findings.expect(!killed.tokens.isEmpty, "not killed: \(killed.outcome)")
                break
            }
            let after = try await world.stored().refreshToken
            if before == after { kept += 1 } else { replaced += 1 }
            let start = ContinuousClock.now
            let next = try await WorkerProcess.run(world.task)
            times.append((ContinuousClock.now - start).seconds * 1000)
            if next.tokens.isEmpty {
                lost += 1
                findings.violations.append("killed before call \(call): the next process fails: \(next.outcome)")
                try await world.logIn()
            }
        }
        findings.expect(replaced > 0 && kept > 0, "\(kept) saves were not done and \(replaced) were: too few kills")
        findings.tables.append(
            table(
                ["kills", "state unchanged", "state replaced", "login lost", "next took, ms"],
                [
                    [
                        "\(call - 1)", "\(kept)", "\(replaced)", "\(lost)",
                        "\(decimal(times.median ?? 0, 0)), at most \(decimal(times.max() ?? 0, 0))",
                    ]
                ]))
        return findings
    }
}
