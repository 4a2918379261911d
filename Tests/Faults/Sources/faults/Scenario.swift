/// A fault, and what has to hold all the same.
struct Scenario: Sendable {
    let name: String
    /// The claim that has to hold, as one sentence.
    let claim: String
    /// Without any one of these the claim must be seen to fail.
    let twins: [Protection]
    let run: @Sendable (Conditions) async throws -> Findings

    static let all = [
        Storm.scenario, GlewlwydStorm.scenario, Kill.scenario, Files.scenario, ReplacedFiles.scenario, Network.scenario,
        Clocks.scenario, Storm.packed, Files.packed, KillAtCall.scenario,
    ]
}

/// The length of a scenario, the number of its kills, and the protection that it leaves out.
struct Conditions: Sendable {
    var seconds = 10.0
    var kills = 6
    var without: Protection?

    /// Enough to see a protection missing.
    func twin(without protection: Protection) -> Conditions {
        Conditions(seconds: min(seconds, 4), kills: min(kills, 2), without: protection)
    }
}

/// The results of a scenario.
struct Findings: Sendable {
    var tables: [String] = []
    var notes: [String] = []
    /// The places where the claim does not hold.
    var violations: [String] = []
    /// The reason why nothing was tried.
    var skipped: String?

    /// Notes a violation unless the condition holds.
    mutating func expect(_ condition: Bool, _ violation: @autoclosure () -> String) {
        if !condition { violations.append(violation()) }
    }
}
