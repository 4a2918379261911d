import AuthStateKit
import AuthStateOAuth

/// Sees provider, store and processes, and says which rule does not hold; it steers nothing.
final class Oracle: @unchecked Sendable {
    // Sendable: everything runs on one thread.

    enum Kind { case login, logout }

    /// A login or logout that a user asked for.
    struct Decision {
        let kind: Kind
        let process: Int
        let begun: Int
        var ended: Int?
        var endedAt = 0.0
        /// Whether its call said that it is stored.
        var isStored = false
        /// Whether it failed, and may have happened all the same.
        var isInDoubt = false
        var grant: Int?
    }

    /// How a process ended up.
    enum End: Hashable { case serving(Int), loggedOut, failing(String) }

    let scheduler: Scheduler
    let provider: SimulatedProvider
    private let trace: Trace
    private(set) var findings: [Finding] = []
    var decisions: [Decision] = []
    var excuses: [(step: Int, kind: Excuse)] = []
    var isSettled = false
    var ends: [Int: End] = [:]

    // What was seen of each process.
    var states: [Int: AuthState] = [:]
    var leases: [Int: SimulatedLease] = [:]
    var leasedSince: [Int: Int] = [:]
    var loadedUnderLease: [Int: Int] = [:]
    var sent: [TokenName: [(process: Int, lease: ObjectIdentifier?)]] = [:]
    var reported: [Int: Int] = [:]
    var loadsSince: [Int: Double] = [:]
    var troubleAt: [Int: Double] = [:]
    var lastHeard: [Int: AuthState.Current] = [:]
    // What was seen of tokens.
    var sentAt: [TokenName: Int] = [:]
    var firstSpent: [TokenName: Int] = [:]
    var stored: Set<String> = []

    init(_ scheduler: Scheduler, _ provider: SimulatedProvider, _ trace: Trace) {
        (self.scheduler, self.provider, self.trace) = (scheduler, provider, trace)
    }

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

    /// Whether a grant was given by a login that was over before a decision began.
    func isOlder(_ grant: Int, than decision: Decision) -> Bool {
        guard decision.grant != grant, let login = decisions.first(where: { $0.grant == grant }),
            let ended = login.ended
        else { return false }
        return decision.begun > ended
    }
}

// What happens in the
extension Oracle {
    func faulted(_ process: Int, _ fault: Fault.Kind) {
        switch fault {
        case .answerLost, .answerHangs, .serverError, .doubled, .requestLost: excuse(.lostAnswer)
        case .saveFailsBefore, .saveFailsAfter, .deleteFailsBefore, .deleteFailsAfter: excuse(.failedSave)
        case .loadIsOld, .loadIsEmpty: excuse(.oldCopy)
        case .loadFails, .leaseFails, .reserveFails: excuse(.failedLoad)
        case .loadHangs, .saveHangs, .unreachable, .busy: break
        }
        if fault.site == .load { troubleAt[process] = scheduler.now }
    }

    func lostAnswer(_ process: Int) { excuse(.lostAnswer) }
    func lostLease(_ process: Int) { excuse(.lostLease) }
    func setClock() { excuse(.clock) }

    func died(_ process: Int) {
        excuse(.death)
        states[process] = nil
    }

    func acquired(_ lease: SimulatedLease) {
        leases[lease.process] = lease
        leasedSince[lease.process] = scheduler.steps
        loadedUnderLease[lease.process] = nil
    }

    func released(_ lease: SimulatedLease) { if leases[lease.process] === lease { leases[lease.process] = nil } }

    func reportedFailure(_ process: Int) { reported[process] = scheduler.steps }

    /// A login or logout begins.
    func decides(_ process: Int, _ kind: Kind) -> Int {
        decisions.append(Decision(kind: kind, process: process, begun: scheduler.steps))
        return decisions.count - 1
    }

    /// A login or logout has returned.
    func decided(_ index: Int, isStored: Bool) {
        decisions[index].ended = scheduler.steps
        decisions[index].endedAt = scheduler.now
        decisions[index].isStored = isStored
    }

    /// A login or logout has failed, and may have happened all the same.
    func isInDoubt(_ index: Int) { decisions[index].isInDoubt = true }

    func granted(_ grant: Int, by index: Int) { decisions[index].grant = grant }

    /// A code was exchanged: by the newest login of the process that has no grant yet.
    func granted(_ grant: Int, to process: Int) {
        let index = decisions.lastIndex {
            $0.process == process && $0.kind == .login && $0.grant == nil && $0.ended == nil
        }
        if let index { granted(grant, by: index) }
    }
}
