import AuthStateKit
import AuthStateOAuth

// The rules that are checked when a run has settled.
extension Oracle {
    /// Nothing is left to happen: a call that waits now never returns.
    func checkWaiting(_ processes: [SimulatedProcess]) {
        for process in processes {
            guard let call = process.waiting.first else { continue }
            found(.everyCallReturns, process.number, "\(call.name) does not return")
        }
    }

    /// A save has returned, without a fault.
    func checkSaved(_ process: SimulatedProcess) {
        guard let error = process.state?.current.storeError else { return }
        found(.errorIsGone, process.number, "still says \(error.code.rawValue)")
    }

    func ends(_ process: SimulatedProcess, serving token: String) {
        ends[process.number] = TokenName(token).map { .serving($0.grant) }
    }

    func ends(_ process: SimulatedProcess, with error: any Error) {
        let name = SimulatedProcess.name(error)
        guard let error = error as? AuthStateError, error.kind == .reauthenticationRequired else {
            ends[process.number] = .failing(name)
            return found(.serves, process.number, "ends with \(name)")
        }
        ends[process.number] = .loggedOut
        guard let grant = TokenName(process.state?.snapshot.refreshToken),
            let state = provider.grants[grant.grant]
        else {
            if !mayBeLoggedOut { found(.serves, process.number, "ends with \(name), no logout is the last decision") }
            return
        }
        // With the newest refresh token of a grant that the provider keeps there is no reason for an error, but that a
        // resource refused a renewed token: one whose answer was so slow that it had expired.
        if state.isAlive, grant.number == state.newest, error.code != .tokenRejected {
            found(.serves, process.number, "ends with \(name), and \(grant.token) is good")
        }
    }

    /// Whether the last decisions allow a state without a grant.
    private var mayBeLoggedOut: Bool {
        if isExcused(by: [.oldCopy]) || findings.contains(where: { $0.rule == .spentOnce }) { return true }
        let last = decisions.filter { decision in
            !decisions.contains { $0.ended != nil && $0.isStored && $0.begun > decision.ended ?? .max }
        }
        return last.contains { $0.kind == .logout || !$0.isStored || $0.isInDoubt || $0.ended == nil }
    }

    /// The last look at everything.
    func checkEnd(_ processes: [SimulatedProcess]) {
        if Set(processes.compactMap { ends[$0.number] }).count > 1 {
            let text = processes.map { "process \($0.number) \(ends[$0.number].map { "\($0)" } ?? "nothing")" }
            found(.agreement, 0, text.joined(separator: ", "))
        }
        for process in processes {
            if case .serving(let grant) = ends[process.number], !isExcused(by: [.oldCopy]),
                let later = decisions.first(where: { $0.isStored && isOlder(grant, than: $0) })
            {
                found(
                    .agreement, process.number,
                    "ends with grant \(grant), older than a \(later.kind) of process \(later.process)")
            }
            guard let state = process.state else { continue }
            if let last = lastHeard[process.number], last != state.current {
                found(.streamInOrder, process.number, "the last element is revision \(last.revision), not the state")
            }
        }
    }
}
