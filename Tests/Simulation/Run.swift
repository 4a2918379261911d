import AuthStateKit
import AuthStateOAuth

/// One run of a plan under one list of choices.
struct Run {
    let plan: Plan
    /// The findings, in the order of the run.
    let findings: [Finding]
    /// The events of the run, a line each.
    let trace: [String]
    /// The choices that were made, for playing this run again.
    let choices: [Int]
    let steps: Int

    /// Runs a plan to its end.
    init(_ plan: Plan, _ decisions: Decisions) {
        self.plan = plan
        SeededRandomness.begin()
        let stage = Stage(plan)
        stage.prepare()
        choices = stage.play(decisions)
        stage.endFaults()
        stage.checkEnd()
        findings = stage.world.journal.findings
        trace = stage.world.trace.lines
        steps = stage.world.scheduler.steps
        stage.clear()
    }
}
