/// The common part of a run's oracles: their findings, and what went wrong in the world before each.
final class Journal: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    private let scheduler: Scheduler
    private let trace: Trace
    private(set) var findings: [Finding] = []
    private var excuses: [(step: Int, kind: Excuse)] = []

    init(_ scheduler: Scheduler, _ trace: Trace) { (self.scheduler, self.trace) = (scheduler, trace) }

    /// Notes a finding; each rule counts once in a run, for one breach leads to others.
    func found(_ rule: Rule, _ process: Int, _ text: String) {
        guard !findings.contains(where: { $0.rule == rule }) else { return }
        trace.note(process, "FINDING \(rule.rawValue): \(text)")
        findings.append(
            Finding(
                rule: rule, process: process, step: scheduler.steps, text: text,
                excuses: Set(excuses.map(\.kind))))
    }

    func excuse(_ kind: Excuse) { excuses.append((scheduler.steps, kind)) }

    /// Whether something of these kinds went wrong since a step.
    func isExcused(by kinds: Set<Excuse>, since step: Int = 0) -> Bool {
        excuses.contains { $0.step >= step && kinds.contains($0.kind) }
    }

    /// Notes what follows from a fault.
    func faulted(_ fault: Fault.Kind) {
        switch fault {
        case .answerLost, .answerHangs, .serverError, .doubled, .requestLost: excuse(.lostAnswer)
        case .saveFailsBefore, .saveFailsAfter, .deleteFailsBefore, .deleteFailsAfter: excuse(.failedSave)
        case .loadIsOld, .loadIsEmpty: excuse(.oldCopy)
        case .loadFails, .leaseFails, .reserveFails: excuse(.failedLoad)
        case .dies: excuse(.death)
        case .keysFail, .keysHang, .keysRotate: excuse(.keys)
        case .loadHangs, .saveHangs, .unreachable, .busy, .pageCloses, .callCancelled: break
        }
    }

    /// Nothing is left to happen: a call that waits now never returns.
    func checkWaiting(_ processes: [SimulatedProcess]) {
        for process in processes {
            guard let call = process.waiting.first else { continue }
            found(.everyCallReturns, process.number, "\(call.name) does not return")
        }
    }
}
