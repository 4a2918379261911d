import AuthStateKit
import AuthStateOAuth

/// The processes of a run in their world: log in, act, end the faults, settle, ask every process for a token.
final class Stage {
    let plan: Plan
    let world: World
    var processes: [SimulatedProcess] = []
    /// Processes so far; one that takes a dead one's place has a number of its own.
    private var count = 0
    /// Faults at an await, which are played once its step is over.
    private var interruptions: [(process: Int, fault: Fault.Kind)] = []
    private var scheduler: Scheduler { world.scheduler }

    /// More steps than any run needs: one that takes them goes round in circles.
    private static let limit = 20_000
    /// The number of steps for which calls of `run()` go on when everything else is over.
    private static let patience = 300

    init(_ plan: Plan) {
        self.plan = plan
        world = World(plan)
        ExecutorHooks.install(world.scheduler)
    }

    /// Logs a user in before anything goes wrong, and starts the processes.
    func prepare() {
        processes.append(start())
        settle()
        for key in plan.keys {
            for action in plan.first {
                processes[0].perform(action, key)
                settle()
            }
        }
        for _ in 1..<max(2, plan.processes) {
            processes.append(start())
            settle()
        }
        scheduler.afterStep = { [unowned self] in afterStep() }
        scheduler.atAwait = { [unowned self] in atAwait($0) }
    }

    /// Plays the plan; later calls may come before the earlier ones have returned.
    ///
    /// - Returns: The choices that were made.
    func play(_ decisions: Decisions) -> [Int] {
        world.note(0, "the plan begins")
        scheduler.decisions = decisions
        scheduler.isCalm = !plan.isSlow
        world.isHarsh = true
        var (next, idle) = (0, 0)
        func act() {
            next += 1
            self.act(plan.actions[next - 1])
        }
        while scheduler.steps < Self.limit, idle < Self.patience {
            let waiting = processes.flatMap(\.waiting)
            let isBusy = waiting.contains { !$0.isEndless }
            let hasMore = next < plan.actions.count
            guard scheduler.step(or: hasMore && !(plan.isInTurn && isBusy) ? act : nil) else { break }
            idle = hasMore || isBusy || waiting.isEmpty ? 0 : idle + 1
        }
        return scheduler.decisions.made
    }

    /// Ends the faults: from here on nothing goes wrong and nothing is slow.
    func endFaults() {
        world.note(0, "the faults end")
        world.isHarsh = false
        scheduler.isCalm = true
        scheduler.decisions = Decisions(script: [])
        world.clockErrors = [:]
        for process in processes { process.endRuns() }
        settle()
        world.journal.checkWaiting(processes)
        scheduler.advance(to: scheduler.now + 4000)
        settle()
    }

    /// Makes steps until there is nothing to do.
    func settle() { while scheduler.steps < Self.limit, scheduler.step() {} }

    /// Starts a process.
    func start() -> SimulatedProcess {
        count += 1
        let process = SimulatedProcess(count, in: world)
        process.start()
        return process
    }

    /// Ends a process where it stands, and starts one in its place.
    func crash(_ index: Int) {
        let number = processes[index].number
        world.note(number, "dies")
        world.journal.excuse(.death)
        scheduler.kill(number)
        for shelf in world.shelves.values { shelf.release(heldBy: number) }
        processes[index] = start()
    }

    /// Ends what listens, so that the memory of the run is freed.
    func clear() {
        for process in processes { process.end() }
        settle()
    }

    private func atAwait(_ process: Int) {
        guard process != 0, let fault = world.fault(at: .await, process) else { return }
        interruptions.append((process, fault))
    }

    private func afterStep() {
        while let (number, fault) = interruptions.popLast() {
            guard let index = processes.firstIndex(where: { $0.number == number }) else { continue }
            if fault == .dies {
                crash(index)
            } else if let call = processes[index].waiting.last {
                processes[index].cancel(call)
            }
        }
        for key in plan.keys {
            for process in processes {
                if let state = process.holder.shown(key) { world.oracle(key).look(at: state, of: process.number) }
            }
        }
    }
}
