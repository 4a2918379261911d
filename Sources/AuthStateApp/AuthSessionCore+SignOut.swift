public import AuthStateKit
import AuthStateOAuth
import AuthStateSystem

extension AuthSessionCore {
    /// Ends the login: forgets it at once, revokes its tokens, and ends the session at the provider in the browser.
    ///
    /// The local part is done in any case. A login in progress is cancelled. A failure at the provider is in the
    /// outcome; only a state that is still stored here is an error to show. Cancelling the task skips nothing.
    ///
    /// - Parameter endsProviderSession: Whether the provider forgets the user too; without it the next login may need no
    ///   password.
    @discardableResult
    public func signOut(endingProviderSession endsProviderSession: Bool = true) async -> LogoutOutcome {
        if let logout { return await logout.value }
        logoutCount += 1
        giveUpLogin()
        let saving = login?.shared
        let task = Task {
            // Its result is on its way to the store: it is removed from there after it has arrived.
            await saving?.end()
            let outcome = await leave(endsProviderSession)
            logout = nil
            var failure: AuthStateError?
            if case .failed(let error) = outcome.removal { failure = error }
            apply(.ended(.signingOut, failure))
            return outcome
        }
        logout = task
        apply(.left)
        apply(.began(.signingOut))
        return await task.value
    }

    private func leave(_ endsProviderSession: Bool) async -> LogoutOutcome {
        do {
            let authState = if let authState = authState ?? unremoved { authState } else { try await stored() }
            unfollow()
            apply(.left)
            let outcome = await authState.logOut(
                endsProviderSession
                    ? .everywhere(userAgent, postLogoutRedirectURI: configuration.postLogoutRedirectURI) : .revoking)
            unremoved = authState.hasNoStoreError ? nil : authState
            return outcome
        } catch let error as AuthStateError where error.code == .notLoggedIn {
            return .nothing
        } catch {
            // A state that cannot be read is removed all the same.
            let failure = AuthStateError(wrapping: error, stage: .store)
            let isOurs = failure.kind == .store
            let removal = isOurs ? await remove() : .failed(failure)
            return LogoutOutcome(removal: removal, revocation: .notNeeded, session: .notNeeded)
        }
    }

    private func remove() async -> LogoutOutcome.Part {
        do {
            try await AuthState.remove(from: store, key: key, deadline: options.leaseDeadline)
            return .done
        } catch {
            return .failed(AuthStateError(wrapping: error, stage: .store))
        }
    }
}
