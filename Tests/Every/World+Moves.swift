import AuthStateFoundation

@testable import AuthStateKit

extension World {
    /// What can come next, with and without each fault that may still happen.
    var moves: [Move] {
        var moves: [Move] = []
        for process in 0..<2 {
            for slot in Slot.allCases {
                if processes[process].tasks[slot.rawValue] != nil {
                    moves.append(.go(process, slot, nil))
                    for fault in Self.faults where chances[fault] > 0 { moves.append(.go(process, slot, fault)) }
                } else if processes[process].hasState, chances[slot.chance] > 0,
                    // Clocks alone decide between a logout and a login that its process has not heard of.
                    behind == 0 || process == 0 || slot != .logout
                {
                    moves.append(.begin(process, slot))
                }
            }
            if chances[.crash] > 0 { moves.append(.crash(process)) }
        }
        if chances[.lostLease] > 0, store.holder != nil { moves.append(.loseLease) }
        if chances[.removal] > 0, store.record != nil { moves.append(.remove) }
        if chances[.expiry] > 0 { moves.append(.expire) }
        return moves
    }

    private static let faults: [Chance] = [
        .lostAnswer, .failedWrite, .ghostWrite, .failedRead, .leaseTimeout, .badToken,
    ]

    /// Whether no call is in progress.
    var isQuiet: Bool { processes.allSatisfy { $0.tasks.allSatisfy { $0 == nil } } }

    /// Does a move.
    ///
    /// - Returns: Whether it can be done here.
    mutating func apply(_ move: Move) -> Bool {
        switch move {
        case .begin(let process, let slot):
            guard chances.take(slot.chance) else { return false }
            begin(process, slot)
            return true
        case .go(let process, let slot, let fault): return go(process, slot, fault)
        case .crash(let process):
            guard chances.take(.crash) else { return false }
            crash(process)
            return true
        case .loseLease:
            guard let holder = store.holder, chances.take(.lostLease) else { return false }
            for slot in Slot.allCases where processes[holder].tasks[slot.rawValue]?.lease == .held {
                if processes[holder].tasks[slot.rawValue]?.maySpend == true { excuseReuse(holder) }
                processes[holder].tasks[slot.rawValue]?.lease = .lost
            }
            store.holder = nil
            return true
        case .remove:
            guard chances.take(.removal) else { return false }
            decide(grant: nil, nil)
            ghost.decisions[ghost.decisions.count - 1].state = .done
            (store.record, store.version) = (nil, nil)
            return true
        case .expire:
            guard chances.take(.expiry) else { return false }
            expiries += 1
            return true
        }
    }

    private mutating func decide(grant: Int?, _ process: Int?) {
        let done = doneDecisions
        ghost.decisions.append(Decision(grant: grant, process: process, after: done))
    }

    private var doneDecisions: Set<Int> { Set(ghost.decisions.indices.filter { ghost.decisions[$0].state == .done }) }

    private mutating func begin(_ process: Int, _ slot: Slot) {
        switch slot {
        case .call:
            // An end takes effect in its own process at once, whether or not it could be stored.
            let ends = ghost.decisions.indices.filter {
                ghost.decisions[$0].grant == nil && ghost.decisions[$0].process == process
            }
            call(process, knows: doneDecisions.union(ends))
        case .login:
            let grant = provider.newest.count
            provider.newest.append(0)
            provider.renewedAt[grant] = expiries
            decide(grant: grant, process)
            let (stamp, tokens) = (stamp(process), Self.response(grant: grant, number: 0, expiries: expiries))
            _ = processes[process].ledger.apply(.loggedIn(nil, tokens), at: stamp, grantID: Self.name(grant: grant))
            let waiting = Task.Waiting.storing(endOf: nil, login: Self.name(grant: grant))
            processes[process].tasks[slot.rawValue] = Task(work: .wait(waiting), decision: ghost.decisions.count - 1)
        case .logout:
            decide(grant: nil, process)
            let (stamp, name) = (stamp(process), "e\(ghost.decisions.count)")
            _ = processes[process].ledger.apply(.loggedOut, at: stamp, grantID: name)
            processes[process].tasks[slot.rawValue] = Task(
                work: .wait(.storing(endOf: name, login: nil)), decision: ghost.decisions.count - 1)
        }
    }

    /// A call for tokens begins, or begins again.
    ///
    /// - Parameter knows: See `Task.knows`.
    private mutating func call(_ process: Int, knows: Set<Int>) {
        let ledger = processes[process].ledger
        var task = Task(work: .look(afterFailure: false), knows: knows, expiries: expiries)
        if usable(process) != nil || ledger.shown.value.authorizationError != nil {
            task.pending = look(process)
        } else {
            task.work = .wait(.renewal(grantID: ledger.newest.value.grantID))
        }
        processes[process].tasks[Slot.call.rawValue] = task
    }

    private func look(_ process: Int) -> Task.Pending {
        let reading = processes[process].ledger.reading(at: now(process))
        return .found(reading, store.record, store.version, isLeased: false)
    }

    private func usable(_ process: Int) -> TokenResponse? {
        let ledger = processes[process].ledger
        return ledger.usableTokens(
            .none, reason: .stale, of: ledger.shown.value, at: now(process).timeIntervalSince1970, leeway: 60)
    }

    private mutating func crash(_ process: Int) {
        let ledger = processes[process].ledger
        let isUnsaved = ledger.newest.value.refreshToken != ledger.stored?.value.refreshToken
        // Tokens that were being verified are gone with the process.
        if case .renewal(let renewal)? = processes[process].tasks[Slot.call.rawValue]?.work {
            provider.renewedAt[Int(renewal.grantID.dropFirst()) ?? -1] = nil
        }
        if isUnsaved || processes[process].tasks.contains(where: { $0?.maySpend == true }) { excuseReuse(process) }
        for index in ghost.decisions.indices
        where ghost.decisions[index].process == process && ghost.decisions[index].state != .done {
            (ghost.decisions[index].state, ghost.decisions[index].process) = (.failed, nil)
        }
        if store.holder == process { (store.holder, store.followsCrash) = (nil, true) }
        if let box = store.record, !box.value.isForgettable {
            processes[process] = Process(ledger: AuthState.Ledger(box, version: store.version))
        } else {
            processes[process].tasks = [nil, nil, nil]
            processes[process].hasState = false
        }
    }

    // MARK: - A step of a task

    private mutating func go(_ process: Int, _ slot: Slot, _ fault: Chance?) -> Bool {
        guard var task = processes[process].tasks[slot.rawValue] else { return false }
        if case .wait(let waiting) = task.work {
            if fault == .leaseTimeout {
                _ = chances.take(.leaseTimeout)
                let error = AuthStateError(.storeLocked, stage: .store, "Locked.")
                switch waiting {
                case .renewal: failed(&task, process)
                case .storing(_, let login): finish(process, slot, task, login, .failure(error))
                }
                if case .renewal = waiting { processes[process].tasks[slot.rawValue] = task }
                return true
            }
            guard store.holder == nil, fault == nil || fault == .failedRead else { return false }
            store.holder = process
            task.lease = .held
            switch waiting {
            case .renewal(let grantID):
                let renewal = AuthState.Renewal(.none, reason: .stale, grantID: grantID, options: Self.options)
                task.work = .renewal(renewal)
            case .storing(let end, let login): task.work = .storing(AuthState.Storing(endOf: end), login: login)
            }
        }
        // A reading that was overtaken is repeated.
        if case .found(let reading, _, _, let isLeased) = task.pending, !processes[process].ledger.isLatest(reading) {
            guard fault == nil else { return false }
            let again = isLeased ? load(process, nil) : look(process)
            guard let again else { return false }
            processes[process].tasks[slot.rawValue]?.pending = again
            return true
        }
        let failure = takeIn(task.pending, process)
        switch task.work {
        case .wait: return false
        case .look(let afterFailure):
            guard fault == nil else { return false }
            return looked(task, process, afterFailure: afterFailure)
        case .storing(var storing, let login):
            let step =
                task.isFresh
                ? storing.begin(processes[process].ledger) : storing.next(failure, processes[process].ledger)
            task.isFresh = false
            task.work = .storing(storing, login: login)
            nameDecisions(of: process)
            return perform(step, task, process, slot, login, fault)
        case .renewal(var renewal):
            let input: AuthState.Renewal.Input =
                if task.isFresh { .begin } else if let failure { .failed(failure) } else {
                    switch task.pending {
                    case .answer(let redemption, let asked): .answer(redemption, asked: asked)
                    case .verified(let result): .verified(result)
                    default: .done
                    }
                }
            task.isFresh = false
            let moment = AuthState.Renewal.Moment(now: now(process), remaining: .seconds(60), jitter: 1)
            let step = renewal.next(input, &processes[process].ledger, at: moment)
            _ = renewal.takeEvents()
            task.work = .renewal(renewal)
            nameDecisions(of: process)
            return perform(step, task, process, fault)
        }
    }

    static let options: AuthState.Options = {
        var options = AuthState.Options()
        options.renewalRetries = 0
        return options
    }()

    /// Takes the outcome of a store operation into the ledger.
    private mutating func takeIn(_ pending: Task.Pending, _ process: Int) -> (any Error)? {
        defer { nameDecisions(of: process) }
        switch pending {
        case .found(let reading, let record, let version, let isLeased):
            _ = processes[process].ledger.found(
                version, by: reading, isLeased: isLeased, followsCrash: isLeased && store.followsCrash
            ) { _ in
                record?.value
            }
        case .saved(let writing, let version):
            do { _ = try processes[process].ledger.saved(writing, as: version) } catch { return error }
        case .deleted(let writing): _ = processes[process].ledger.deleted(writing)
        case .failed(let error): return error
        case .nothing, .done, .answer, .verified: break
        }
        return nil
    }

    // MARK: - Effects

    private mutating func load(_ process: Int, _ fault: Chance?) -> Task.Pending? {
        if fault == .failedRead, chances.take(.failedRead) { return fails(.storeUnreadable) }
        guard fault == nil else { return nil }
        let reading = processes[process].ledger.reading(at: now(process))
        return .found(reading, store.record, store.version, isLeased: true)
    }

    private func fails(_ code: AuthStateError.Code) -> Task.Pending {
        .failed(AuthStateError(code, stage: .store, "Failed."))
    }

    /// From here on a refresh token of the grant that a process renews, or has, may be sent twice.
    private mutating func excuseReuse(_ process: Int) {
        var names = [processes[process].ledger.newest.value.grantID]
        if case .renewal(let renewal)? = processes[process].tasks[Slot.call.rawValue]?.work {
            names.append(renewal.grantID)
        }
        for name in names { if let grant = Int(name.dropFirst()) { ghost.mayReuse.insert(grant) } }
    }

    /// A step's effect has happened: its outcome comes later. Two faults can meet one save and its second try.
    private mutating func wait(
        for pending: Task.Pending?, _ given: Task, _ process: Int, _ slot: Slot, _ fault: Chance?
    ) -> Bool {
        guard let pending else { return false }
        var task = given
        task.pending = pending
        if fault != nil, case .failed = pending { task.faults += 1 }
        if task.faults > 1 { excuseReuse(process) }
        processes[process].tasks[slot.rawValue] = task
        return true
    }

    private mutating func save(_ process: Int, _ fault: Chance?) -> Task.Pending? {
        let writing = processes[process].ledger.writing
        if fault == .failedWrite, chances.take(.failedWrite) { return fails(.storeUnwritable) }
        guard fault == nil || fault == .ghostWrite else { return nil }
        guard store.version == writing.expected else {
            return fault == nil ? .failed(AuthStateError(.storeConflict, stage: .store, "Another version.")) : nil
        }
        store.saves += 1
        (store.record, store.version) = (writing.record, Self.version(store.saves))
        store.followsCrash = false
        if let token = writing.record.value.lastTokenResponse?.accessToken { ghost.stored.insert(token) }
        if fault == .ghostWrite, chances.take(.ghostWrite) { return fails(.storeUnwritable) }
        return .saved(writing, Self.version(store.saves))
    }

    private mutating func delete(_ writing: AuthState.Ledger.Writing, _ fault: Chance?) -> Task.Pending? {
        if fault == .failedWrite, chances.take(.failedWrite) { return fails(.storeUnwritable) }
        guard fault == nil else { return nil }
        guard store.version == writing.expected else {
            return .failed(AuthStateError(.storeConflict, stage: .store, "Another version."))
        }
        (store.record, store.version) = (nil, nil)
        return .deleted(writing)
    }

    private mutating func perform(
        _ step: AuthState.Storing.Step, _ task: Task, _ process: Int, _ slot: Slot, _ login: String?, _ fault: Chance?
    ) -> Bool {
        let pending: Task.Pending?
        switch step {
        case .load: pending = load(process, fault)
        case .save: pending = save(process, fault)
        case .delete(let writing): pending = delete(writing, fault)
        case .discard(let writing):
            guard fault == nil else { return false }
            (store.record, store.version) = (nil, nil)
            pending = .deleted(writing)
        case .finish(let result):
            guard fault == nil else { return false }
            finish(process, slot, task, login, result)
            return true
        }
        return wait(for: pending, task, process, slot, fault)
    }

    private mutating func perform(
        _ step: AuthState.Renewal.Step, _ given: Task, _ process: Int, _ fault: Chance?
    ) -> Bool {
        var task = given
        let pending: Task.Pending?
        switch step {
        case .load: pending = load(process, fault)
        case .save: pending = save(process, fault)
        case .reserve:
            pending =
                fault != nil
                ? nil : task.lease == .held ? .done : .failed(AuthStateError(.storeLocked, stage: .store, "Lost."))
        case .pause: pending = fault == nil ? .done : nil
        case .redeem(let request):
            guard fault == nil || fault == .lostAnswer else { return false }
            let asked = stamp(process)
            let redemption = redeem(request.grant.refreshToken ?? "")
            if fault == .lostAnswer, chances.take(.lostAnswer) {
                excuseReuse(process)
                let error = AuthStateError(.connectionLost, stage: .refresh, "Lost.")
                pending = .answer(.failed(error, isUnconfirmed: true), asked: asked)
            } else {
                pending = .answer(redemption, asked: asked)
            }
        case .verify(let response):
            guard fault == nil || fault == .badToken else { return false }
            if fault == .badToken, chances.take(.badToken) {
                pending = .verified(.failure(AuthStateError(.invalidIDToken, stage: .refresh, "Bad.")))
            } else {
                pending = .verified(.success(response))
            }
        case .finish(let outcome):
            guard fault == nil else { return false }
            if task.lease == .held { store.holder = nil }
            task.lease = .none
            switch outcome {
            case .tokens(let response): deliver(response, process, task)
            case .superseded: call(process, knows: task.knows)
            case .failed:
                failed(&task, process)
                processes[process].tasks[Slot.call.rawValue] = task
            }
            return true
        }
        return wait(for: pending, task, process, .call, fault)
    }

    // MARK: - Ends

    /// A storing task ends.
    private mutating func finish(
        _ process: Int, _ slot: Slot, _ task: Task, _ login: String?, _ result: Result<AuthState.Record?, any Error>
    ) {
        if task.lease == .held { store.holder = nil }
        processes[process].tasks[slot.rawValue] = nil
        var state = Decision.State.done
        if case .failure(let error) = result {
            _ = processes[process].ledger.saveFailed(AuthStateError(unsaved: error), of: login)
            state = .failed
        }
        if let decision = task.decision { ghost.decisions[decision].state = state }
    }

    /// A call whose renewal failed looks at the store before it throws.
    private func failed(_ task: inout Task, _ process: Int) {
        task.work = .look(afterFailure: true)
        task.pending = look(process)
    }

    /// A call has looked at the store.
    private mutating func looked(_ task: Task, _ process: Int, afterFailure: Bool) -> Bool {
        if let response = usable(process) {
            deliver(response, process, task)
        } else if afterFailure || processes[process].ledger.shown.value.authorizationError != nil {
            processes[process].tasks[Slot.call.rawValue] = nil
            processes[process].outcome = "refused"
        } else {
            processes[process].tasks[Slot.call.rawValue] = Task(
                work: .wait(.renewal(grantID: processes[process].ledger.newest.value.grantID)), knows: task.knows,
                expiries: task.expiries)
        }
        return true
    }

    /// A call gets tokens.
    private mutating func deliver(_ response: TokenResponse, _ process: Int, _ task: Task) {
        processes[process].tasks[Slot.call.rawValue] = nil
        let token = response.refreshToken ?? ""
        let grant = Int(token.dropFirst().prefix { $0 != "." }) ?? -1
        processes[process].outcome = "grant \(grant)"
        if !ghost.stored.contains(response.accessToken), processes[process].ledger.storeError == nil {
            breaks("no token is delivered before it is stored")
        }
        // Time may have passed during the call.
        if task.expiries == expiries, response.accessTokenExpirationDate.map({ $0 <= now(process) }) ?? false {
            breaks("no expired token is delivered")
        }
        // The login was over before a decision began that counts for this call.
        let login = ghost.decisions.firstIndex { $0.grant == grant }
        for index in task.knows where ghost.decisions[index].grant != grant {
            let after = ghost.decisions[index].after
            if login.map(after.contains) ?? true { breaks("a call delivers no tokens of a login that has ended") }
        }
    }
}
