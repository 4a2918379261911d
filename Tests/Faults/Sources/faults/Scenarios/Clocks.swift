import AuthStateKit
import AuthStateTesting
import Foundation

/// The time of day jumps, under processes that use a resource.
enum Clocks {
    static let processes = 4

    static let scenario = Scenario(
        name: "clock",
        claim: "the clock jumps by hours and by years, there and back: no user is logged out, and no storm of renewals",
        twins: [.lease], run: run)

    /// The clock's positions, one after the other, in seconds ahead of the right time.
    private static let jumps: [(name: String, offset: Int)] = [
        ("right", 0), ("an hour ahead", 3600), ("right again", 0), ("a year ahead", 365 * 86400), ("right again", 0),
        ("an hour behind", -3600), ("right again", 0), ("a year behind", -365 * 86400), ("right again", 0),
    ]

    private static func run(_ conditions: Conditions) async throws -> Findings {
        var findings = Findings()
        for issuesIDTokens in [false, true] {
            findings.tables.append(
                (issuesIDTokens ? "Renewals with an ID token:" : "Renewals without an ID token:") + "\n\n"
                    + (try await jump(issuesIDTokens, conditions, &findings)))
        }
        return findings
    }

    private static func jump(
        _ issuesIDTokens: Bool, _ conditions: Conditions, _ findings: inout Findings
    ) async throws -> String {
        let world = try await World(lifetime: 1) { $0.renewalsIssueIDTokens = issuesIDTokens }
        let clock = world.path("clock")
        try set(clock, 0)
        let step = conditions.seconds / Double(jumps.count)
        var task = world.task
        (task.seconds, task.without) = (conditions.seconds + 1, conditions.without)
        (task.clock, task.resource) = (clock, world.provider.url(of: .resource))
        async let running = WorkerProcess.run(task, times: processes)
        var rows: [[String]] = []
        for jump in jumps {
            try set(clock, jump.offset)
            let before = world.provider.statistics
            let start = ContinuousClock.now
            try await Task.sleep(for: .seconds(step))
            let seconds = (ContinuousClock.now - start).seconds
            let after = world.provider.statistics
            let renewals = after.refreshRequests - before.refreshRequests
            // One for each expiry, one for the jump, and one that was in progress.
            let bound = Int(seconds / Storm.freshSeconds) + 3
            findings.expect(renewals <= bound, "\(jump.name): \(renewals) renewals in \(decimal(seconds)) s")
            rows.append([
                jump.name, decimal(seconds), "\(renewals)",
                "\((after.requests[.resource] ?? 0) - (before.requests[.resource] ?? 0))",
            ])
        }
        let results = try await running.results
        let reuses = world.provider.statistics.refreshTokenReuses
        findings.expect(reuses == 0, "\(reuses) spent refresh tokens came again")
        for result in results {
            findings.expect(
                result.summary != nil && result.summary?.error == nil,
                "logged out: \(result.summary?.error?.description ?? result.errors)")
        }
        let heard = Set(results.flatMap(\.failures).map(\.code.rawValue)).sorted().joined(separator: ", ")
        let next = try await WorkerProcess.run(world.task)
        findings.expect(!next.tokens.isEmpty, "the clock is right again, and the next process fails: \(next.outcome)")
        return table(["clock", "for s", "renewals", "requests to the resource"], rows)
            + "\n\nErrors meanwhile: \(heard.isEmpty ? "none" : heard); the next process: \(next.outcome)."
    }

    private static func set(_ file: String, _ offset: Int) throws {
        try Data("\(offset)".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
}
