import AuthStateOAuth
import AuthStateStorage

extension AuthState {
    /// Ends this login if the provider had ended its session before the index had it.
    ///
    /// - Throws: `AuthStateError`: `.notLoggedIn` when it has ended; of kind `.store` when the index cannot be read now.
    func checkSession() async throws {
        guard let store = environment.store as? IndexedAuthStateStore,
            let token = snapshot.idToken.flatMap({ try? IDToken(parsing: $0) })
        else { return }
        // Where an entry can never be read, the login is not saved either, which `status.storeError` says.
        do { guard try await store.hasEnded(token) else { return } } catch  where error.isAboutContent { return }
        // No caller gets the login. What cannot be removed or revoked now is left to a sweep.
        _ = await logOut(with: nil)
        try? await removeEnd()
        throw AuthStateError(
            .notLoggedIn, stage: .logout, "The provider ended this session while the login was in progress.",
            expected: "a session that began after the logout", hint: "Log in again.")
    }
}
