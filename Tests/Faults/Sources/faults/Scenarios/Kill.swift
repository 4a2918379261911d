import AuthStateKit
import AuthStateTesting
import Foundation

/// `kill -9` in each phase of a renewal, and at any moment.
enum Kill {
    static let scenario = Scenario(
        name: "kill",
        claim: "a process is killed in any phase of a renewal: the next one goes on, and what was saved is never lost",
        twins: [.replacement], run: run)

    private static func run(_ conditions: Conditions) async throws -> Findings {
        var findings = Findings()
        // Without grace the provider takes a token that comes again for a theft: the window shows.
        for grace in [60.0, 0] {
            let world = try await World(lifetime: 0.001, grace: grace)
            var tallies: [KillTally] = []
            for phase in Phase.allCases.map(Optional.some) + [nil] {
                var tally = KillTally(phase: phase, hasGrace: grace > 0)
                for _ in 0..<conditions.kills { try await kill(world, &tally, &findings, conditions.without) }
                tallies.append(tally)
            }
            findings.tables.append(
                (grace > 0 ? "The provider takes a spent refresh token again for 60 s:" : "The provider has no grace:")
                    + "\n\n" + table(KillTally.header, tallies.map(\.row)))
            findings.notes += tallies.compactMap(\.message).prefix(1).map { "What the next process hears then: \($0)" }
        }
        findings.notes.append(try await window(conditions.kills))
        return findings
    }

    /// Kills a worker, looks at what it left, and lets another one go on.
    private static func kill(
        _ world: World, _ tally: inout KillTally, _ findings: inout Findings, _ protection: Protection?
    ) async throws {
        let before = try await world.stored().refreshToken
        let spent = world.provider.statistics.refreshRequests
        try await tally.killed(die(world, tally.phase, protection))
        tally.spent += world.provider.statistics.refreshRequests - spent
        tally.leftovers += world.leftovers.count
        do {
            let after = try await world.stored().refreshToken
            tally.isKept(before == after)
        } catch {
            findings.violations.append("\(tally.name): the file is broken: \(error)")
            try FileManager.default.removeItem(atPath: world.file)
            try await world.logIn()
            return
        }
        let start = ContinuousClock.now
        let next = try await WorkerProcess.run(world.task)
        tally.goesOn(next, after: ContinuousClock.now - start)
        findings.expect(world.leftovers.isEmpty, "\(tally.name): \(world.leftovers.count) temporary files were left")
        if next.tokens.isEmpty {
            findings.expect(!tally.mustGoOn, "\(tally.name): the next process fails: \(next.outcome)")
            try await world.logIn()
        }
        findings.violations += tally.takeViolations()
    }

    private static func die(_ world: World, _ phase: Phase?, _ protection: Protection?) async throws -> WorkerResult {
        var task = world.task
        (task.killAt, task.without) = (phase, protection)
        if phase != nil { return try await WorkerProcess.run(task) }
        task.seconds = 60
        let worker = try WorkerProcess(task)
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...200)))
        worker.kill()
        return try await worker.result(within: .seconds(60))
    }

    /// Measures the window that no client can close: from the provider's commit until the answer is written.
    private static func window(_ count: Int) async throws -> String {
        let world = try await World(lifetime: 0.001)
        var summaries: [WorkerSummary] = []
        for _ in 0..<max(count, 5) { summaries += try await [WorkerProcess.run(world.task)].compactMap(\.summary) }
        let medians = [\WorkerSummary.answering, \.keeping, \.lasting].map { figure in
            decimal((summaries.compactMap { $0[keyPath: figure] }.median ?? 0) / 1000)
        }
        return """
            The window that no client can close, median of \(summaries.count): \(medians[0]) ms until the provider's answer \
            is here, \(medians[1]) ms until the next process would find it; on the disk \(medians[2]) ms later.
            """
    }
}
