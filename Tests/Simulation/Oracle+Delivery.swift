import AuthStateKit
import AuthStateOAuth

// The rules about what a call gets.
extension Oracle {
    /// A call got tokens.
    func delivered(_ tokens: Tokens, to call: WatchedCall) {
        guard let name = TokenName(tokens.accessToken) else { return }
        if !isExcused(by: [.clock]), let end = provider.end(of: tokens.accessToken) {
            if end <= call.begun {
                found(
                    .notExpired, call.process,
                    "\(tokens.accessToken) had expired \(Int(call.begun - end)) s before the call")
            }
            if case .long(let seconds) = call.wish, provider.rules.lifetime > seconds,
                end < call.begun + Double(seconds)
            {
                found(.lastsAsAsked, call.process, "\(tokens.accessToken) lasts \(Int(end - call.begun)) s")
            }
        }
        checkDecisions(tokens, name, call)
    }

    private func checkDecisions(_ tokens: Tokens, _ name: TokenName, _ call: WatchedCall) {
        guard !isExcused(by: [.oldCopy]) else { return }
        let (process, begun) = (call.process, call.begun)
        // A reading that has lasted a while hides what is stored, be it that the call began it.
        let isLoading =
            loadsSince[process].map { $0 > begun - 10 && ($0 < begun || scheduler.now - $0 > 1) } ?? false
        // A process that stood still has spent the time for its reading before the reading began.
        let stoodStill = scheduler.now - begun > 1 && (loadedAt[process] ?? 0) < begun
        let isTroubled = isLoading || stoodStill || troubleAt[process].map { $0 >= begun - 10 } ?? false
        for decision in decisions where decision.ended ?? .max < call.step && isOlder(name.grant, than: decision) {
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

    /// A request for which a user could log in again has returned, or failed.
    func reauthorized(_ index: Int, _ state: AuthState) {
        let isKept = decisions[index].grant != nil && state.record.grant == decisions[index].grant
        if isKept, state.status.storeError == nil { decided(index, isStored: true) } else { isInDoubt(index) }
    }

    /// A resource has answered a request.
    ///
    /// - Parameters:
    ///   - account: The user whose request it was; nil when nothing was known of the user.
    ///   - subject: The user as whom it was made.
    func requested(_ process: Int, of account: String?, as subject: String) {
        guard let account, account != subject else { return }
        found(.accountStays, process, "a request of \(account) was made as \(subject)")
    }
}
