/// A defect of today's code that the simulation finds, until it is mended.
///
/// Its scenario is a test that is known to fail: the program says so, and exits with 1, once no schedule of the plan breaks the
/// rule any longer. Then the defect is to be removed from the table, and its findings are new ones again.
struct KnownDefect {
    let number: Int
    let title: String
    /// The rule that its scenario breaks.
    let rule: Rule
    /// The smallest plan that breaks the rule, under a schedule that is searched for.
    let plan: Plan
    /// Whether it explains a finding of another run.
    let explains: @Sendable (Finding) -> Bool

    /// The defect that explains a finding.
    static func explaining(_ finding: Finding) -> KnownDefect? { all.first { $0.explains(finding) } }

    /// How many schedules of the plan are tried.
    static let schedules: UInt64 = 2000

    /// The first schedule that breaks the rule, with its number; nil when none does. Schedule 0 is one call after another.
    func demonstration() -> (schedule: UInt64, run: Run)? {
        for schedule in 0...Self.schedules {
            let run = Run(plan, schedule == 0 ? Decisions(script: []) : Decisions(seed: schedule))
            if run.findings.contains(where: { $0.rule == rule }) { return (schedule, run) }
        }
        return nil
    }
}

extension Plan {
    /// A plan of two processes, for a scenario.
    init(_ actions: [Step], _ faults: [Fault] = [], _ change: (inout Plan) -> Void = { _ in }) {
        self.init()
        (self.actions, self.faults) = (actions, faults)
        provider.lifetime = 3600
        change(&self)
    }
}
