import AuthStateKit

/// The results of the processes that were killed in one phase.
struct KillTally {
    static let header = [
        "killed", "times", "refresh token spent", "file unchanged", "temporary files left", "next goes on",
        "login lost", "next took, ms",
    ]

    /// Nil is any moment.
    let phase: Phase?
    /// Whether the provider takes a spent refresh token again.
    let hasGrace: Bool
    var spent = 0
    var leftovers = 0
    private(set) var message: String?
    private var kills = 0
    private var unchanged = 0
    private var goingOn = 0
    private var lost = 0
    private var times: [Double] = []
    private var violations: [String] = []

    init(phase: Phase?, hasGrace: Bool) {
        self.phase = phase
        self.hasGrace = hasGrace
    }

    var name: String { phase?.rawValue ?? "any moment" }

    /// Whether nothing may be lost: only what happens in the window can be, and only without grace.
    var mustGoOn: Bool { hasGrace || phase.map { !$0.isInTheWindow } ?? false }

    var row: [String] {
        let slowest = times.max() ?? 0
        return [
            name, "\(kills)", "\(spent)", "\(unchanged)", "\(leftovers)", "\(goingOn)", "\(lost)",
            "\(decimal(times.median ?? 0, 0)), at most \(decimal(slowest, 0))",
        ]
    }

    /// A worker should have been killed.
    mutating func killed(_ result: WorkerResult) {
        kills += 1
        if result.status != WorkerResult.killed { violations.append("\(name): not killed: \(result.outcome)") }
    }

    /// The file must be the old one before the rename, and the new one after it.
    mutating func isKept(_ isUnchanged: Bool) {
        unchanged += isUnchanged ? 1 : 0
        guard let phase, isUnchanged != (phase != .renamed) else { return }
        violations.append("\(name): the file was \(isUnchanged ? "not " : "")replaced")
    }

    mutating func goesOn(_ next: WorkerResult, after time: Duration) {
        times.append(time.seconds * 1000)
        if !next.tokens.isEmpty { goingOn += 1 } else { lost += 1 }
        guard let error = next.failures.first else { return }
        message = error.description
        // The only thing that may be lost is the grant, and the user has to hear that.
        if error.code != .invalidGrant { violations.append("\(name): another error: \(error)") }
    }

    mutating func takeViolations() -> [String] {
        defer { violations = [] }
        return violations
    }
}
