import AuthStateKit
import AuthStateOAuth

// The rules that are checked while a run goes on.
extension Oracle {
    /// Looks after each step at what a reader of the process sees.
    func look(at state: AuthState, of process: Int) {
        let record = state.record
        if let idToken = record.idToken, lastIDToken[process] != idToken {
            lastIDToken[process] = idToken
            if !provider.signing.issued.contains(idToken) {
                found(.idTokenIsGenuine, process, "an ID token is shown that the provider did not sign")
            }
        }
        guard let token = record.accessToken, let name = TokenName(token) else { return }
        if !stored.contains(token), state.status.storeError == nil, reported[process] == nil {
            found(.storedBeforeShown, process, "\(token) is shown and not stored")
        }
        guard !isExcused(by: [.oldCopy]) else { return }
        for decision in decisions
        where decision.process == process && decision.ended != nil && isOlder(name.grant, than: decision) {
            found(.decisionStands, process, "\(token) is shown although a later \(decision.kind) has returned")
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

    /// A refresh token has arrived at the provider.
    ///
    /// - Parameter isProven: Whether a proof by the key came along that it is bound to, if it is.
    func arrived(_ token: TokenName, from process: Int, wasSpent: Bool, isProven: Bool) {
        if !isProven { found(.boundIsProven, process, "\(token.token) comes without a proof by its key") }
        guard wasSpent else {
            if provider.isSpent(token) { firstSpent[token] = (sentAt[token] ?? 0, reservedAt[process] ?? 0) }
            return
        }
        let first = firstSpent[token] ?? (0, 0)
        let kinds: Set<Excuse> = [.lostAnswer, .failedSave, .oldCopy, .death]
        // A lease can be lost between the look at it and the request.
        let reserved = min(first.reserved, reservedAt[process] ?? 0)
        if !isExcused(by: kinds, since: first.sent), !isExcused(by: [.lostLease], since: reserved) {
            found(.spentOnce, process, "\(token.token) is spent again")
        }
    }

    func reserved(_ process: Int) { reservedAt[process] = scheduler.steps }

    func loads(_ process: Int) { loadsSince[process] = loadsSince[process] ?? scheduler.now }

    func loaded(_ process: Int) {
        loadedAt[process] = scheduler.now
        guard let since = loadsSince[process] else { return }
        readAt[process] = since
        if scheduler.now - since > 1 { troubleAt[process] = scheduler.now }
    }

    /// A process that has the lease has found nothing stored.
    func foundNothing(_ process: Int) { removals[process] = (scheduler.steps, readAt) }

    /// A reading has ended, with the stored state or with an error.
    func endsLoad(_ process: Int) { loadsSince[process] = nil }

    /// Something was written; nil is a state without a grant, or nothing at all.
    func wrote(_ record: AuthState.Record?, under lease: SimulatedLease) {
        if let token = record?.lastTokenResponse?.accessToken { stored.insert(token) }
        removals[lease.process] = record == nil ? (scheduler.steps, readAt) : nil
        guard let grant = record?.grant, !isExcused(by: [.oldCopy]) else { return }
        let since = leasedSince[lease.process] ?? 0
        for decision in decisions where decision.isStored && decision.ended ?? .max < since {
            guard isOlder(grant, than: decision) else { continue }
            found(
                .storeKeepsDecisions, lease.process,
                "grant \(grant) is stored after a later \(decision.kind) of process \(decision.process) was stored")
        }
    }

    func streams(_ process: Int) { lastHeard[process] = nil }

    func heard(_ process: Int, _ change: AuthState.Status) {
        if let last = lastHeard[process], last.grantEpoch == change.grantEpoch, change.revision < last.revision {
            found(.streamInOrder, process, "revision \(change.revision) comes after \(last.revision)")
        }
        lastHeard[process] = change
    }
}
