import AuthStateKit
import AuthStateOAuth

/// Sees provider, store and processes, and says which rule does not hold; it steers nothing.
final class Oracle: @unchecked Sendable {
    // Sendable: everything runs on one thread.

    enum Kind { case login, logout, registration }

    /// A login or logout that a user asked for; a registration is one too, for it ends the grant.
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
        var grantedAt = 0.0
        /// For a logout that left no stamp, because it removed the stored state, or found nothing stored: when each
        /// process had begun its last reading before.
        var readBefore: [Int: Double]?
    }

    /// The final condition of a process.
    enum End: Hashable { case serving(Int), loggedOut, failing(String) }

    let scheduler: Scheduler
    let provider: SimulatedProvider
    private let journal: Journal
    var decisions: [Decision] = []
    var ends: [Int: End] = [:]

    // Observations of each process.
    var lastIDToken: [Int: String] = [:]
    var leases: [Int: SimulatedLease] = [:]
    var leasedSince: [Int: Int] = [:]
    var sent: [TokenName: [(process: Int, lease: ObjectIdentifier?)]] = [:]
    var reported: [Int: Int] = [:]
    var loadsSince: [Int: Double] = [:]
    var loadedAt: [Int: Double] = [:]
    /// When each process began its last finished reading.
    var readAt: [Int: Double] = [:]
    /// The last time when each process removed the stored state, or found nothing stored.
    var removals: [Int: (step: Int, readBefore: [Int: Double])] = [:]
    var troubleAt: [Int: Double] = [:]
    var lastHeard: [Int: AuthState.Status] = [:]
    // Observations of tokens.
    var sentAt: [TokenName: Int] = [:]
    /// For each spent token, the step at which it was first sent, and at which the store was last asked about the
    /// lease.
    var firstSpent: [TokenName: (sent: Int, reserved: Int)] = [:]
    var reservedAt: [Int: Int] = [:]
    var stored: Set<String> = []

    init(_ scheduler: Scheduler, _ provider: SimulatedProvider, _ journal: Journal) {
        (self.scheduler, self.provider, self.journal) = (scheduler, provider, journal)
    }

    /// Notes a finding.
    func found(_ rule: Rule, _ process: Int, _ text: String) { journal.found(rule, process, text) }

    /// Whether something of these kinds went wrong since a step.
    func isExcused(by kinds: Set<Excuse>, since step: Int = 0) -> Bool { journal.isExcused(by: kinds, since: step) }

    /// The findings of the run, by this observer or another one.
    var findings: [Finding] { journal.findings }

    /// Whether a grant was given by a login that was over before a decision began.
    func isOlder(_ grant: Int, than decision: Decision) -> Bool {
        guard decision.grant != grant, let login = decisions.first(where: { $0.grant == grant }),
            let ended = login.ended
        else { return false }
        return decision.begun > ended && !isLeftToClocks(login, decision) && !isUnknowable(login, decision)
    }

    /// Whether it cannot be told which of two was later: a logout left no stamp, and a login could not be stored; the
    /// login's process has not read the store in between.
    private func isUnknowable(_ login: Decision, _ later: Decision) -> Bool {
        guard let read = later.readBefore, !login.isStored else { return false }
        return read[login.process] ?? 0 <= login.grantedAt
    }

    /// Whether wrong clocks may decide which of two stands: one could not be stored, or a logout had not heard of a login.
    private func isLeftToClocks(_ login: Decision, _ later: Decision) -> Bool {
        let isUnheard = later.kind == .logout && later.process != login.process
        return isExcused(by: [.clock]) && (isUnheard || !login.isStored || !later.isStored)
    }
}

// Events in the world.
extension Oracle {
    func acquired(_ lease: SimulatedLease) {
        leases[lease.process] = lease
        leasedSince[lease.process] = scheduler.steps
    }

    func released(_ lease: SimulatedLease) { if leases[lease.process] === lease { leases[lease.process] = nil } }

    func reportedFailure(_ process: Int) { reported[process] = scheduler.steps }

    /// A login or logout begins.
    func decides(_ process: Int, _ kind: Kind) -> Int {
        // A logout may join one in progress, which was decided when it began.
        let joined = decisions.first {
            kind == .logout && $0.kind == kind && $0.process == process && $0.ended == nil && !$0.isInDoubt
        }
        decisions.append(Decision(kind: kind, process: process, begun: joined?.begun ?? scheduler.steps))
        return decisions.count - 1
    }

    /// A login or logout has returned.
    func decided(_ index: Int, isStored: Bool) {
        decisions[index].ended = scheduler.steps
        decisions[index].endedAt = scheduler.now
        decisions[index].isStored = isStored
        let decision = decisions[index]
        if decision.kind == .logout, let removal = removals[decision.process], removal.step >= decision.begun {
            decisions[index].readBefore = removal.readBefore
        }
    }

    /// A login or logout has failed, and may have happened all the same.
    func isInDoubt(_ index: Int) { decisions[index].isInDoubt = true }

    func granted(_ grant: Int, by index: Int) {
        (decisions[index].grant, decisions[index].grantedAt) = (grant, scheduler.now)
    }
}
