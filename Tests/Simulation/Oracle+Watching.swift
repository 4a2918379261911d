import AuthStateKit
import AuthStateOAuth

// The rules that are checked while a run goes on.
extension Oracle {
    /// After each step: what a reader of the process sees.
    func look(at process: SimulatedProcess) {
        guard let state = process.state else { return }
        states[process.number] = state
        let snapshot = state.snapshot
        guard let token = snapshot.accessToken, let name = TokenName(token) else { return }
        if !stored.contains(token), state.current.storeError == nil, reported[process.number] == nil {
            found(.storedBeforeShown, process.number, "\(token) is shown and not stored")
        }
        guard !isExcused(by: [.oldCopy]) else { return }
        for decision in decisions
        where decision.process == process.number && decision.ended != nil && isOlder(name.grant, than: decision) {
            found(
                .decisionStands, process.number,
                "\(token) is shown although a later \(decision.kind) has returned")
        }
    }

    func sends(_ process: Int, _ message: Message) {
        guard case .renewal(let token) = message else { return }
        let lease = leases[process].map { ObjectIdentifier($0) }
        let isRepeat = sent[token, default: []].contains { $0.process == process && $0.lease == lease }
        sentAt[token] = scheduler.steps
        sent[token, default: []].append((process, lease))
        if isRepeat, let lease = leases[process], scheduler.now - lease.lostAt > 0.25 {
            found(.noRepeatAfterLostLease, process, "\(token.token) is sent again, the lease was lost before")
        }
    }

    func arrived(_ token: TokenName, from process: Int, wasSpent: Bool) {
        guard wasSpent else {
            if provider.isSpent(token) { firstSpent[token] = sentAt[token] }
            return
        }
        let kinds: Set<Excuse> = [.lostAnswer, .failedSave, .lostLease, .oldCopy, .death]
        if !isExcused(by: kinds, since: firstSpent[token] ?? 0) {
            found(.spentOnce, process, "\(token.token) is spent again")
        }
    }

    func loads(_ process: Int) { loadsSince[process] = loadsSince[process] ?? scheduler.now }

    func loaded(_ process: Int, _ grant: Int?, isUnderLease: Bool) {
        if let since = loadsSince.removeValue(forKey: process), scheduler.now - since > 1 {
            troubleAt[process] = scheduler.now
        }
        if isUnderLease { loadedUnderLease[process] = grant }
    }

    /// A process begins to write.
    func writes(_ process: Int) {
        guard let loaded = loadedUnderLease[process],
            let shown = TokenName(states[process]?.snapshot.accessToken)?.grant,
            let decision = decisions.first(where: { $0.grant == loaded }), isOlder(shown, than: decision)
        else { return }
        found(.adoptedIsShown, process, "grant \(loaded) was loaded, grant \(shown) is shown")
    }

    /// Something was written; nil is a state without a grant, or nothing at all.
    func wrote(_ record: AuthState.Record?, under lease: SimulatedLease) {
        if let token = record?.lastTokenResponse?.accessToken { stored.insert(token) }
        guard let grant = TokenName(record?.refreshToken)?.grant, !isExcused(by: [.oldCopy]) else { return }
        let since = leasedSince[lease.process] ?? 0
        for decision in decisions where decision.isStored && decision.ended ?? .max < since {
            guard isOlder(grant, than: decision) else { continue }
            found(
                .storeKeepsDecisions, lease.process,
                "grant \(grant) is stored after a later \(decision.kind) of process \(decision.process) was stored")
        }
    }

    /// A call got tokens.
    func delivered(_ tokens: Tokens, to process: Int, begun: Double, step: Int) {
        guard let name = TokenName(tokens.accessToken) else { return }
        if !isExcused(by: [.clock]), let end = provider.end(of: tokens.accessToken), end <= begun {
            found(.notExpired, process, "\(tokens.accessToken) had expired \(Int(begun - end)) s before the call")
        }
        guard !isExcused(by: [.oldCopy]) else { return }
        let isLoading = loadsSince[process].map { $0 < begun && $0 > begun - 10 } ?? false
        let isTroubled = isLoading || troubleAt[process].map { $0 >= begun - 10 } ?? false
        for decision in decisions where decision.ended ?? .max < step && isOlder(name.grant, than: decision) {
            if decision.process == process {
                found(
                    .decisionStands, process,
                    "\(tokens.accessToken) is delivered although a later \(decision.kind) has returned")
            } else if decision.isStored, !isTroubled, decision.endedAt < begun - 10 {
                found(
                    .logoutIsNoticed, process,
                    "\(tokens.accessToken) is delivered, process \(decision.process) made a later \(decision.kind) "
                        + "\(Int(begun - decision.endedAt)) s before")
            }
        }
    }

    func streams(_ process: Int) { lastHeard[process] = nil }

    func heard(_ process: Int, _ change: AuthState.Current) {
        if let last = lastHeard[process], last.grantEpoch == change.grantEpoch, change.revision < last.revision {
            found(.streamInOrder, process, "revision \(change.revision) comes after \(last.revision)")
        }
        lastHeard[process] = change
    }
}
