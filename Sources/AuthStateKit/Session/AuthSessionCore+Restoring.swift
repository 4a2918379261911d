import AuthStateOAuth

extension AuthSessionCore {
    /// Shows the login that is stored, at the start of the app; looks for changes when there is one already.
    ///
    /// Needs no network. When nobody is logged in nothing is shown, and a store that cannot be read is `state.error`.
    public func restore() async {
        guard login == nil, logout == nil else { return }
        if authState == nil { apply(.began(.restoring)) }
        let before = (loginCount, logoutCount)
        var failure: AuthStateError?
        do {
            if let authState {
                try await authState.reload()
            } else {
                let found = try await stored()
                // Somebody may have signed in meanwhile, or out: then this was read before it was removed.
                if authState == nil, login == nil, logoutCount == before.1 { follow(found) }
            }
        } catch let error as AuthStateError where error.code == .notLoggedIn {
        } catch {
            failure = AuthStateError(toShow: error, stage: .store)
        }
        // A failure to read what was stored before a login or logout is no concern of who has come or gone since.
        apply(.ended(.restoring, (loginCount, logoutCount) == before ? failure : nil))
    }

    /// The stored login of this session's client.
    func stored() async throws -> AuthState {
        let credential = configuration.credential == .none ? nil : configuration.boundCredential
        let found = try await AuthState.restore(
            from: store, key: key, credential: credential, service: service, options: options)
        let record = found.snapshot
        try configuration.check(record.clientID, record.configuration)
        return found
    }
}
