/// Makes a run that breaks a rule smaller, as long as it still breaks it: first the plan, then the choices.
struct Shrinker {
    let rule: Rule

    /// The smallest run that was found.
    func shrunk(_ run: Run) -> Run {
        var best = run
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for plan in smaller(best.plan) {
                guard let found = breaking(plan, like: best) else { continue }
                best = found
                isSmaller = true
                break
            }
        }
        return withFewerChoices(best)
    }

    /// A run of a plan that breaks the rule: by the choices there are, or by those of a few seeds.
    private func breaking(_ plan: Plan, like run: Run) -> Run? {
        let attempts = [Decisions(script: run.choices), Decisions(script: [])] + (1...40).map { Decisions(seed: $0) }
        return attempts.lazy.map { Run(plan, $0) }.first { breaks($0) }
    }

    private func breaks(_ run: Run) -> Bool { run.findings.contains { $0.rule == rule } }

    /// Plans with a part less, the largest parts first.
    private func smaller(_ plan: Plan) -> [Plan] {
        var plans: [Plan] = []
        func add(_ change: (inout Plan) -> Void) {
            var copy = plan
            change(&copy)
            if copy != plan { plans.append(copy) }
        }
        add { $0.faults = [] }
        for index in plan.actions.indices.reversed() { add { $0.actions.remove(at: index) } }
        for index in plan.faults.indices { add { $0.faults.remove(at: index) } }
        if plan.processes > 2 {
            add { plan in
                plan.processes -= 1
                for index in plan.actions.indices {
                    plan.actions[index].process = (plan.actions[index].process - 1) % plan.processes + 1
                }
            }
        }
        add { $0.isSlow = false }
        add { $0.isInTurn = true }
        add { $0.isWatched = true }
        add { $0.provider.grace = 0 }
        add { $0.provider.wantsNonces = false }
        add { $0.provider.rotates = true }
        add { $0.grants = .plain }
        add { if $0.holding == .state, !$0.first.contains(.register) { $0.first = [.login] } }
        return plans
    }

    /// As many plain choices as possible, in blocks that become smaller.
    func withFewerChoices(_ run: Run) -> Run {
        var best = run
        var size = max(1, best.choices.count / 2)
        while size >= 1 {
            var start = 0
            while start < best.choices.count {
                let block = start..<min(start + size, best.choices.count)
                if best.choices[block].contains(where: { $0 != 0 }) {
                    var choices = best.choices
                    for index in block { choices[index] = 0 }
                    let attempt = Run(best.plan, Decisions(script: choices))
                    if breaks(attempt) { best = attempt }
                }
                start += size
            }
            size /= 2
        }
        return best
    }
}
