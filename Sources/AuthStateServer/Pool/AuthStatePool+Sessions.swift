public import AuthStateKit
public import AuthStateOAuth
import AuthStateStorage

extension AuthStatePool {
    /// Begins a login of the pool's client in two requests of a browser.
    ///
    /// Keep the pending login in the browser's session, and redirect the browser to its URL.
    ///
    /// - Parameters:
    ///   - redirectURI: The URI of this server that the answer goes to.
    ///   - scopes: The scopes to ask for; nil asks for those of a known provider, else for `openid profile email`. Most providers
    ///     give a login that lasts for `offline_access`.
    ///   - prepare: Changes the request before it is sent.
    /// - Throws: As `AuthorizationService.begin(_:)`; `AuthStateError` of stage discovery; `.invalidArgument` for a pool without a
    ///   client of its own.
    public func beginLogin(
        redirectURI: RedirectURI, scopes: [Scope]? = nil,
        prepare: (_ request: inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> PendingAuthorization {
        let named = try ownClient
        let client = try await service.client(named)
        var request = named.request(at: client.provider, scopes: scopes, redirectURI: redirectURI)
        prepare(&request)
        return try await service.begin(request)
    }

    /// Completes a login that `beginLogin(redirectURI:scopes:prepare:)` began, perhaps at another server, and keeps it under a key.
    ///
    /// - Parameters:
    ///   - pending: The login, from the browser's session; use it once.
    ///   - callback: The browser's answer.
    ///   - key: The key of the new session: a random one, no name that users choose.
    ///   - annotations: Kept with the state, see `AuthState.Record.annotations`.
    /// - Throws: As `logIn(_:for:annotations:)`; `.invalidArgument` for a login of another client.
    @discardableResult
    public func completeLogin(
        _ pending: PendingAuthorization, callback: AuthorizationCallback, for key: AuthStateKey,
        annotations: [String: String] = [:]
    ) async throws -> AuthState {
        try ownClient.check(pending.client)
        return try await logIn(.callback(callback, of: pending), for: key, annotations: annotations)
    }

    /// Ends the session of a key: forgets it here and, through the store, on every server, does at the provider what is asked
    /// for, and leaves nothing in the store.
    ///
    /// With `.everywhere`, redirect the browser to the URL of the outcome's `pending`, if there is one, to end the session at the
    /// provider too. A stored state that can never be read is removed. A part that fails is in the outcome, a failed save
    /// among them (`removal`); each is tried.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the store cannot be read now; `CancellationError`.
    @discardableResult
    public func logOut(
        _ key: AuthStateKey, _ logout: AuthState.Logout = .everywhere()
    ) async throws -> LogoutOutcome {
        let outcome = try await end(key, logout)
        if case .failed = outcome.removal { return outcome }
        await leaveNothing(key)
        return outcome
    }

    private func end(_ key: AuthStateKey, _ logout: AuthState.Logout) async throws -> LogoutOutcome {
        do {
            return try await state(for: key).logOut(logout)
        } catch AuthStateError.Code.notLoggedIn {
            return try await saveEnd(key) ?? .nothing
        } catch  where error.isAboutContent {
            return try await discard(key, error, revokes: logout.revokes)
        }
    }

    /// Saves a logout whose save failed before; returns nil when there is none.
    func saveEnd(_ key: AuthStateKey) async throws -> LogoutOutcome? {
        guard let state = loadedObject(key), !state.isGranted, !state.hasNoStoreError else { return nil }
        try await state.save()
        return LogoutOutcome(removal: .done, revocation: .notNeeded, session: .notNeeded)
    }

    /// Removes a state that can never be read: its tokens are not known, and stay valid until they expire.
    func discard(_ key: AuthStateKey, _ error: any Error, revokes: Bool = true) async throws -> LogoutOutcome {
        try await remove(key)
        return LogoutOutcome(
            removal: .done, revocation: revokes ? .failed(AuthStateError(wrapping: error, stage: .store)) : .notNeeded,
            session: .notNeeded)
    }

    /// Removes the record of an end, and the ended state from memory; a record that stays is left to a sweep.
    func leaveNothing(_ key: AuthStateKey) async {
        try? await forgetLogout(key)
        release(key)
    }

    private var ownClient: NamedClient {
        get throws {
            if let client { return client }
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "The pool has no client of its own.",
                expected: "AuthStatePool(NamedClient(…), store: …)",
                hint: "Name the client when the pool is made, or begin the login with service.begin(_:).")
        }
    }
}
