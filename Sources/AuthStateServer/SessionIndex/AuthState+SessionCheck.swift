import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

extension AuthState {
    /// Ends this login if the provider had ended its session before the index had it.
    ///
    /// The check is made when the caller is cancelled, too. Where the index cannot be read now, the login is ended: whether the
    /// provider ended its session could not be told later.
    ///
    /// - Throws: `AuthStateError`: `.notLoggedIn` when it has ended; of kind `.store` when the index cannot be read now.
    package func checkSession() async throws {
        // The login is stored: no cancelled caller leaves it behind unchecked.
        try await Task { try await endIfSessionEnded() }.value
    }

    private func endIfSessionEnded() async throws {
        guard let store = store as? IndexedAuthStateStore,
            let token = record.idToken.flatMap({ try? IDToken(parsing: $0) })
        else { return }
        // Where an entry can never be read, the login is not saved either, which `status.storeError` says.
        let (grantID, requested) = (record.grantID, record.lastTokenResponse?.issuedAt)
        var failure: (any Error)?
        do { guard try await store.hasEnded(token, requested: requested) else { return } } catch {
            if error.isAboutContent { return }
            failure = error
        }
        // A later login under this key is another session.
        guard newest.grantID == grantID else { return }
        // No caller gets the login. What cannot be removed or revoked now is left to a sweep.
        _ = await logOut(.revoking)
        try? await forgetLogout()
        if let failure { throw failure }
        throw AuthStateError(
            .notLoggedIn, stage: .logout, "This session was ended while its login was in progress.",
            expected: "a session that began after the logout", hint: "Log in again.")
    }
}
