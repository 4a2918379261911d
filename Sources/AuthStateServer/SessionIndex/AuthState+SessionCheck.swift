import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

extension AuthState {
    /// Ends this login if the provider had ended its session before the index had it.
    ///
    /// The check is made when the caller is cancelled, too.
    ///
    /// - Parameter isNew: Whether no caller has the login yet. Where the index cannot be read now, such a login is ended: whether
    ///   the provider ended its session could not be told later.
    /// - Throws: `AuthStateError`: `.notLoggedIn` when it has ended; of kind `.store` when the index cannot be read now.
    package func checkSession(isNew: Bool = true) async throws {
        // The login is stored: no cancelled caller leaves it behind unchecked.
        try await Task { try await endIfSessionEnded(isNew: isNew) }.value
    }

    private func endIfSessionEnded(isNew: Bool) async throws {
        guard let store = store as? IndexedAuthStateStore else { return }
        // Where an entry can never be read, the login is not saved either, which `status.storeError` says.
        let record = newest
        var failure: (any Error)?
        do { guard try await store.hasEnded(record) else { return } } catch {
            if error.isAboutContent { return }
            guard isNew else { throw error }
            failure = error
        }
        // A later login under this key is another session.
        guard newest.grantID == record.grantID else { return }
        // No caller gets the login. What cannot be removed or revoked now is left to a sweep.
        _ = await logOut(.revoking)
        try? await forgetLogout()
        if let failure { throw failure }
        throw AuthStateError(
            .notLoggedIn, stage: .logout, "This session was ended while its login was in progress.",
            expected: "a session that began after the logout", hint: "Log in again.")
    }
}
