/// A defect of today's core that the simulation finds, until it is mended.
///
/// Its scenario is a test that is known to fail: the program says so, and exits with 1, once no schedule of the plan breaks the
/// rule any longer. Then the defect is to be removed from the table, and its findings are new ones again.
struct KnownDefect {
    let number: Int
    let title: String
    /// The rules that it breaks; its scenario breaks the first of them.
    let rules: [Rule]
    /// What has to have happened in a run before the defect can be what broke the rule: something of each group.
    let needs: [Need]
    /// The smallest plan that breaks the rule, under a schedule that is searched for.
    let plan: Plan

    init(_ number: Int, _ title: String, breaks rules: [Rule], after needs: [Need], in plan: Plan) {
        (self.number, self.title, self.rules, self.needs, self.plan) = (number, title, rules, needs, plan)
    }

    /// The rule that its scenario breaks.
    var rule: Rule { rules[0] }

    /// Whether it explains a finding: the rule is one of its own, and all that it needs had happened before.
    func explains(_ finding: Finding) -> Bool {
        rules.contains(finding.rule) && needs.allSatisfy { $0.isMet(by: finding) }
    }

    /// How many schedules of the plan are tried.
    static let schedules: UInt64 = 2000

    /// The first schedule that breaks the rule, with its number; nil when none does. Schedule 0 is one call after another.
    func demonstration() -> (schedule: UInt64, run: Run)? {
        for schedule in 0...Self.schedules {
            let run = Run(plan, schedule == 0 ? Decisions(script: []) : Decisions(seed: schedule))
            // The scenario is explained by its own entry, or the entry asks for too much.
            if run.findings.contains(where: { $0.rule == rule && explains($0) }) { return (schedule, run) }
        }
        return nil
    }
}

/// Actions and faults, one of which a known defect needs.
struct Need {
    private enum Place { case anywhere, itself, another, two }

    private var place = Place.anywhere
    private var times = 1
    private var kinds: Set<Cause.Kind>

    init(_ kinds: Set<Cause.Kind>) { self.kinds = kinds }
    init(_ actions: [Action], first: [Action] = []) {
        kinds = Set(actions.map { .action($0) } + first.map { .first($0) })
    }
    init(_ faults: [Fault.Kind]) { kinds = Set(faults.map { .fault($0) }) }

    /// The same in the process that the finding is about.
    var inItself: Need { with { $0.place = .itself } }
    /// The same in another process.
    var inAnother: Need { with { $0.place = .another } }
    /// The same in two processes, or in more.
    var inTwo: Need { with { $0.place = .two } }
    /// Two of them in one process.
    var twice: Need { with { $0.times = 2 } }

    private func with(_ change: (inout Need) -> Void) -> Need {
        var need = self
        change(&need)
        return need
    }

    static func + (one: Need, other: Need) -> Need { one.with { $0.kinds.formUnion(other.kinds) } }

    /// Whether they happened before a finding; a finding of process 0 is about every process.
    func isMet(by finding: Finding) -> Bool {
        var counts: [Int: Int] = [:]
        for (cause, count) in finding.causes where kinds.contains(cause.kind) {
            counts[cause.process, default: 0] += count
        }
        counts = counts.filter { $0.value >= times }
        return switch place {
        case .two: counts.count > 1
        case .anywhere: !counts.isEmpty
        case .itself: counts.keys.contains { finding.process == 0 || $0 == finding.process }
        case .another: counts.keys.contains { finding.process == 0 || $0 != finding.process }
        }
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
