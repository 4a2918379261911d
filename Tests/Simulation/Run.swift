import AuthStateKit
import AuthStateOAuth

/// One run of a plan under one list of choices.
struct Run {
    let plan: Plan
    /// What was found, in the order of the run.
    let findings: [Finding]
    /// What happened.
    let trace: [String]
    /// The choices that were made, for playing this run again.
    let choices: [Int]
    let steps: Int

    /// More steps than any run needs: one that takes them goes round in circles.
    private static let limit = 20_000

    /// Runs a plan to its end.
    init(_ plan: Plan, _ decisions: Decisions) {
        self.plan = plan
        SeededRandomness.begin()
        let world = World(plan, Decisions(script: []))
        let scheduler = world.scheduler
        ExecutorHooks.install(scheduler)
        var processes: [SimulatedProcess] = []
        var count = 0
        func up() -> SimulatedProcess {
            count += 1
            let process = SimulatedProcess(count, in: world)
            process.begin("restore") { try await $0.restore() }
            return process
        }
        func settle() { while scheduler.steps < Self.limit, scheduler.step() {} }

        // A user is logged in before anything goes wrong.
        processes.append(up())
        settle()
        processes[0].perform(.login)
        settle()
        for _ in 1..<max(2, plan.processes) {
            processes.append(up())
            settle()
        }
        scheduler.afterStep = { for process in processes { world.oracle.look(at: process) } }

        world.note(0, "the plan begins")
        scheduler.decisions = decisions
        scheduler.isCalm = !plan.isSlow
        world.isHarsh = true
        var next = 0
        func act() {
            let step = plan.actions[next]
            next += 1
            let index = (step.process - 1) % processes.count
            let process = processes[index]
            switch step.action {
            case .cancel:
                guard let call = process.waiting.last else { return }
                world.note(process.number, "\(call.name) is cancelled")
                scheduler.asProcess(process.number) { call.task?.cancel() }
            case .crash:
                world.note(process.number, "dies")
                world.oracle.died(process.number)
                scheduler.kill(process.number)
                world.store.release(heldBy: process.number)
                processes[index] = up()
            case .loseLease:
                guard let lease = world.store.holder else { return }
                world.note(lease.process, "loses its lease")
                world.oracle.lostLease(lease.process)
                world.store.loseLease()
            case .withdraw:
                guard let grant = TokenName(process.state?.snapshot.refreshToken)?.grant else { return }
                world.note(0, "the provider ends grant \(grant)")
                world.provider.end(grant, "withdrawn")
            case .minute, .quarterMinute:
                let seconds = step.action == .minute ? 60.0 : 15
                world.note(0, "\(Int(seconds)) s pass")
                scheduler.advance(to: scheduler.now + seconds)
            case .setClock:
                let error = world.clockErrors[process.number, default: 0] == 0 ? 3600.0 : 0
                world.clockErrors[process.number] = error
                world.note(process.number, error == 0 ? "its clock is right" : "its clock is an hour ahead")
                world.oracle.setClock()
            default: process.perform(step.action)
            }
        }
        // Later calls may come before the earlier ones have returned.
        while scheduler.steps < Self.limit, scheduler.step(or: next < plan.actions.count ? act : nil) {}

        // From here on nothing goes wrong and nothing is slow.
        world.note(0, "the faults end")
        world.isHarsh = false
        scheduler.isCalm = true
        let made = scheduler.decisions.made
        scheduler.decisions = Decisions(script: [])
        world.clockErrors = [:]
        settle()
        world.oracle.checkWaiting(processes)
        scheduler.advance(to: scheduler.now + 4000)
        settle()
        for index in processes.indices where processes[index].state == nil { processes[index] = up() }
        settle()
        world.oracle.isSettled = true
        for round in 0..<2 {
            for process in processes {
                process.perform(.save)
                settle()
                world.oracle.checkSaved(process)
                process.perform(.reload)
                settle()
                guard let state = process.state else { continue }
                process.begin("the last use of a token") { process in
                    do {
                        let token = try await process.use(state, refusing: false)
                        if round == 1 { world.oracle.ends(process, serving: token) }
                        return token
                    } catch {
                        if round == 1 { world.oracle.ends(process, with: error) }
                        throw error
                    }
                }
                settle()
            }
        }
        world.oracle.checkEnd(processes)
        findings = world.oracle.findings
        trace = world.trace.lines
        choices = made
        steps = scheduler.steps
        for process in processes { process.end() }
        settle()
    }
}
