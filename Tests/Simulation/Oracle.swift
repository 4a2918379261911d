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
    var troubleAt: [Int: Double] = [:]
    var lastHeard: [Int: AuthState.Current] = [:]
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
        return decision.begun > ended && !isLeftToClocks(login, decision)
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
}
