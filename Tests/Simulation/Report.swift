/// The findings of many seeds, by rule.
struct Report {
    private var runs = 0
    private var steps = 0
    private var byRule: [Rule: (count: Int, first: UInt64)] = [:]
    private var findings: [(seed: UInt64, finding: Finding)] = []
    private var different: [UInt64] = []

    /// Whether every rule held, and runs repeat.
    var isGood: Bool { findings.isEmpty && different.isEmpty }

    /// Compares a run with another one of the same seed.
    mutating func compare(_ run: Run, _ again: Run, seed: UInt64) {
        if run.trace != again.trace { different.append(seed) }
    }

    mutating func add(_ run: Run, seed: UInt64) {
        runs += 1
        steps += run.steps
        for finding in run.findings {
            byRule[finding.rule, default: (0, seed)].count += 1
            findings.append((seed, finding))
        }
    }

    func show() {
        print("\(runs) seeds, \(steps) steps")
        for rule in Rule.allCases {
            let found = byRule[rule].map { "\($0.count) seeds, the first \($0.first)" } ?? "holds"
            print("  \(rule.rawValue): \(found)")
        }
        for (seed, finding) in findings.prefix(20) { print("FOUND in seed \(seed): \(finding)") }
        for seed in different { print("DIFFERENT: seed \(seed) does not repeat.") }
        print(isGood ? "Every rule held." : "\(findings.count) times a rule did not hold.")
    }
}

extension Finding: CustomStringConvertible {
    var description: String {
        let excuses = excuses.isEmpty ? "no fault" : excuses.map(\.rawValue).sorted().joined(separator: ", ")
        return "\(rule.rawValue), process \(process), step \(step): \(text) (\(excuses))"
    }
}

extension Run {
    /// The plan and what happened, a line each.
    var schedule: String {
        let rules = plan.provider
        let actions = plan.actions.map { step in
            "p\(step.process) \(step.action.rawValue)\(plan.keys.count > 1 ? " \(plan.keys[step.key % plan.keys.count])" : "")"
        }
        let faults = plan.faults.map { "\($0.kind.rawValue) at \($0.kind.site.rawValue) \($0.number)" }
        let head = """
            \(plan.processes) processes, each with a \(plan.holding.rawValue), \
            \(plan.isWatched ? "a store with a watch" : "a store without a watch")\(plan.isSlow ? ", slow calls" : "")\(plan.isInTurn ? ", actions in turn" : "")
            provider: \(plan.grants.rawValue) grants, \(rules.rotates ? "rotates" : "does not rotate"), \
            grace \(Int(rules.grace)) s, \(rules.detectsReuse ? "detects reuse" : "does not detect reuse"), \
            tokens live \(rules.lifetime) s\(rules.rotatesRegistrations ? "" : ", keeps registration tokens")\
            \(rules.wantsNonces ? ", wants nonces" : "")\(plan.breakage.map { "\nbroken: \($0.rawValue)" } ?? "")
            first: \(plan.first.map(\.rawValue).joined(separator: ", "))
            actions: \(actions.joined(separator: ", "))
            faults: \(faults.joined(separator: ", "))
            choices: \(choices.map(String.init).joined(separator: ","))
            """
        return ([head] + trace).joined(separator: "\n")
    }
}
