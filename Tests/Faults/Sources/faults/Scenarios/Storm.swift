import AuthStateKit
import AuthStateTesting
import Foundation

/// Many processes at one file, with tokens that end every second.
enum Storm {
    static let processes = 16
    /// A token of a second is fresh for three quarters of it.
    static let freshSeconds = 0.75

    static let scenario = scenario(.file, "storm")
    static let packed = scenario(.sqlite, "packed-storm")

    private static func scenario(_ kind: StoreKind, _ name: String) -> Scenario {
        Scenario(
            name: name,
            claim: "\(processes) processes share a \(kind == .file ? "file" : "database") and tokens of 1 s: "
                + "no refresh token is spent twice, one renewal per expiry",
            twins: [.lease, .rereading]
        ) { try await run($0, kind) }
    }

    private static func run(_ conditions: Conditions, _ kind: StoreKind) async throws -> Findings {
        let world = try await World(lifetime: 1, kind: kind)
        var task = world.task
        (task.seconds, task.without) = (conditions.seconds, conditions.without)
        let reading = Task { await read(world, for: conditions.seconds) }
        var findings = Findings()
        let (results, seconds) = try await WorkerProcess.run(task, times: processes)
        let counts = world.provider.statistics
        findings.expect(counts.refreshTokenReuses == 0, "\(counts.refreshTokenReuses) spent refresh tokens came again")
        findings.judge(results, renewals: counts.refreshRequests, seconds: seconds)
        let (readings, unreadable) = await reading.value
        findings.expect(unreadable == 0, "\(unreadable) of \(readings) readings of the file failed")
        findings.tables.append(
            table(
                StormFigures.header + ["reuses seen", "readings of the file", "unreadable"],
                [
                    StormFigures(results, renewals: counts.refreshRequests, seconds: seconds).row
                        + ["\(counts.refreshTokenReuses)", "\(readings)", "\(unreadable)"]
                ]))
        return findings
    }

    /// Reads the file over and over, as a reader without a lease.
    private static func read(_ world: World, for seconds: Double) async -> (readings: Int, unreadable: Int) {
        let end = ContinuousClock.now + .seconds(seconds)
        var (readings, unreadable) = (0, 0)
        while ContinuousClock.now < end {
            readings += 1
            do { _ = try await world.stored() } catch { unreadable += 1 }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return (readings, unreadable)
    }
}

/// The figures of a storm.
struct StormFigures {
    static let header = ["processes", "seconds", "renewals", "per expiry", "tokens each", "uses", "failures"]
    let row: [String]

    init(_ results: [WorkerResult], renewals: Int, seconds: Double) {
        let uses = results.compactMap(\.summary?.uses).reduce(0, +)
        let failures = results.compactMap(\.summary?.failures).reduce(0, +)
        let tokens = results.map { Set($0.tokens).count }
        row = [
            "\(results.count)", decimal(seconds, 0), "\(renewals)",
            decimal(Double(renewals) * Storm.freshSeconds / seconds),
            "\(tokens.min() ?? 0)–\(tokens.max() ?? 0)", "\(uses)", "\(failures)",
        ]
    }
}

extension Findings {
    /// Checks what has to hold of every storm.
    mutating func judge(_ results: [WorkerResult], renewals: Int, seconds: Double) {
        for (index, result) in results.enumerated() {
            expect(result.status == 0, "process \(index) ended with status \(result.status): \(result.errors)")
            if let error = result.failures.first { violations.append("process \(index): \(error)") }
            let tokens = Set(result.tokens).count
            expect(tokens * 2 >= renewals, "process \(index) saw \(tokens) tokens of \(renewals)")
        }
        let expiries = Int(seconds / Storm.freshSeconds) + 1
        expect(renewals <= expiries, "\(renewals) renewals where tokens ended \(expiries) times")
    }
}
