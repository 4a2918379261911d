import AuthStateKit
import AuthStateOAuth

extension AuthSessionCore {
    /// Shows the stored login at the start of the app; looks for changes when one is shown already.
    ///
    /// Needs no network. Without a login nothing is shown, and a store that cannot be read is `state.error`. A login
    /// that this session has ended is not shown again: a removal that failed is tried again first.
    public func restore() async {
        guard login == nil, logout == nil else { return }
        if authState == nil { apply(.began(.restoring)) }
        let before = (loginCount, logoutCount)
        var failure: AuthStateError?
        do {
            if let authState {
                try await authState.reload()
            } else {
                try await removeEnded()
                let found = try await stored()
                // After a sign-in or sign-out in the meantime, this reading is outdated.
                if authState == nil, login == nil, logoutCount == before.1 { follow(found) }
            }
        } catch let error as AuthStateError where error.code == .notLoggedIn {
        } catch {
            failure = AuthStateError(toShow: error, stage: .store)
        }
        // A failure to read what was stored before a login or logout says nothing about the session after it.
        apply(.ended(.restoring, (loginCount, logoutCount) == before ? failure : nil))
    }

    /// Saves the end of a login that could not be saved before.
    private func removeEnded() async throws {
        guard let ended = unremoved else { return }
        let error = ended.status.storeError
        try await ended.save()
        if unremoved === ended { unremoved = nil }
        if state.error == error { apply(.dismissed) }
    }

    /// Returns the stored login of this session's client.
    func stored() async throws -> AuthState {
        let found = try await AuthState.restore(
            at: AuthState.Place(store, key: key, service: service, options: options),
            credential: configuration.client.ownCredential)
        let record = found.record
        try configuration.client.check(record.client)
        return found
    }
}
