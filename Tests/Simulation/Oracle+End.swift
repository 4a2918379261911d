import AuthStateKit
import AuthStateOAuth

// The rules that are checked when a run has settled.
extension Oracle {
    /// A save has returned, without a fault.
    func checkSaved(_ state: AuthState, of process: Int) {
        guard let error = state.status.storeError else { return }
        found(.errorIsGone, process, "still says \(error.code.rawValue)")
    }

    func ends(_ process: Int, serving token: String) { ends[process] = TokenName(token).map { .serving($0.grant) } }

    func ends(_ process: Int, _ state: AuthState?, with error: any Error, canLogIn: Bool) {
        let name = SimulatedProcess.name(error)
        // An access logs in by itself.
        if canLogIn {
            ends[process] = .failing(name)
            return found(.serves, process, "ends with \(name)")
        }
        if (error as? AuthStateError)?.code == .invalidClient, mayLackClient(state?.record) {
            ends[process] = .failing(name)
            return
        }
        guard let error = error as? AuthStateError, error.kind == .reauthenticationRequired else {
            ends[process] = .failing(name)
            return found(.serves, process, "ends with \(name)")
        }
        ends[process] = .loggedOut
        guard let token = TokenName(state?.record.refreshToken), let grant = provider.grants[token.grant] else {
            if !mayBeLoggedOut { found(.serves, process, "ends with \(name), no logout is the last decision") }
            return
        }
        // With the newest refresh token of a grant that the provider keeps there is no reason for an error, but that a
        // resource refused a renewed token: one whose answer was so slow that it had expired.
        if grant.isAlive, token.number == grant.newest, error.code != .tokenRejected {
            found(.serves, process, "ends with \(name), and \(token.token) is good")
        }
    }

    /// Whether there is a reason why a client cannot prove itself: it was deleted, or nothing has its newest secret.
    private func mayLackClient(_ record: AuthState.Record?) -> Bool {
        guard let token = TokenName(record?.lastRegistrationResponse?.registrationAccessToken) else { return true }
        return provider.clients[token.grant]?.isAlive != true || isExcused(by: [.lostAnswer, .death, .oldCopy])
    }

    /// Whether the last decisions allow a state without a grant.
    private var mayBeLoggedOut: Bool {
        if isExcused(by: [.oldCopy]) || findings.contains(where: { $0.rule == .spentOnce }) { return true }
        let last = decisions.filter { decision in
            !decisions.contains { $0.ended != nil && $0.isStored && $0.begun > decision.ended ?? .max }
        }
        // With a wrong clock a logout that left no stamp in the store may end a later login.
        let isUnstamped = decisions.contains { $0.kind == .logout && (!$0.isStored || $0.readBefore != nil) }
        if isExcused(by: [.clock]), isUnstamped { return true }
        return last.isEmpty || last.contains { $0.kind != .login || !$0.isStored || $0.isInDoubt || $0.ended == nil }
    }

    /// The last look at a state: at its stream, and at what is stored beside it.
    func checkEnd(_ state: AuthState, of process: Int, stored: AuthState.Record?) {
        if let last = lastHeard[process], last != state.status {
            found(.streamInOrder, process, "the last element is revision \(last.revision), not the state")
        }
        let kept = Secrets(stored)
        var shown = Secrets(state.record)
        // Nothing at all is a logout, which keeps the registration; that it was deleted is in no store.
        if stored == nil { (shown.registration, shown.secret) = (nil, nil) }
        // A store that was set back is written again with the next change.
        if shown != kept, state.status.storeError == nil, !isExcused(by: [.oldCopy]) {
            found(.endsAsStored, process, "shows \(shown), and \(kept) is stored")
        }
    }

    /// The last look at all processes.
    func checkAgreement() {
        let numbers = ends.keys.sorted()
        if Set(ends.values).count > 1 {
            let text = numbers.map { "process \($0) \(ends[$0].map { "\($0)" } ?? "nothing")" }
            found(.agreement, 0, text.joined(separator: ", "))
        }
        for process in numbers {
            guard case .serving(let grant) = ends[process], !isExcused(by: [.oldCopy]),
                let later = decisions.first(where: { $0.isStored && isOlder(grant, than: $0) })
            else { continue }
            found(
                .agreement, process,
                "ends with grant \(grant), older than a \(later.kind) of process \(later.process)")
        }
    }

    /// Checks that the stored registration token and client secret are the provider's newest.
    func checkRegistration(_ stored: AuthState.Record?) {
        guard let registration = stored?.lastRegistrationResponse,
            let token = TokenName(registration.registrationAccessToken), let client = provider.clients[token.grant],
            client.isAlive, !isExcused(by: [.lostAnswer, .death, .oldCopy])
        else { return }
        let newest = TokenName(.registration, token.grant, client.token)
        if token != newest {
            found(.registrationIsKept, 0, "\(token.token) is stored, the newest is \(newest.token)")
        }
        let secret = TokenName(.secret, token.grant, client.secret)
        if TokenName(registration.clientSecret) != secret {
            found(.registrationIsKept, 0, "an older secret than \(secret.token) is stored")
        }
    }
}

/// The parts of a state that nothing else can replace.
private struct Secrets: Hashable, CustomStringConvertible {
    var access, refresh, registration, secret: String?

    init(_ record: AuthState.Record?) {
        access = record?.lastTokenResponse?.accessToken
        refresh = record?.refreshToken
        registration = record?.lastRegistrationResponse?.registrationAccessToken
        secret = record?.lastRegistrationResponse?.clientSecret
    }

    var description: String {
        let tokens = [access, refresh, registration, secret].compactMap { $0 }
        return tokens.isEmpty ? "nothing" : tokens.joined(separator: " ")
    }
}
