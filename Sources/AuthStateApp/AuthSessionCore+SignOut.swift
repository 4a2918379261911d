public import AuthStateKit
import AuthStateOAuth
import AuthStateSystem
import AuthStateUserAgent

extension AuthSessionCore {
    /// A logout in progress.
    struct Logout {
        let task: Task<LogoutOutcome, Never>
        let end: SharedResult<Void>
        /// Whether the provider's page is all that is left.
        var isInBrowser = false
    }

    /// Ends the login: forgets it at once, revokes its tokens, and ends the session at the provider in the browser.
    ///
    /// The local part is done in any case. A login in progress is cancelled. A failure at the provider is in the
    /// outcome; only a state that is still stored here is an error to show. Cancelling the task skips nothing.
    ///
    /// `state.activity` ends when the provider's page opens: a user may come back without its answer. A sign-in from then on ends
    /// the wait for it.
    ///
    /// - Parameter endsProviderSession: Whether the provider forgets the user too; without it the next login may need no
    ///   password.
    @discardableResult
    public func signOut(endingProviderSession endsProviderSession: Bool = true) async -> LogoutOutcome {
        if let logout { return await logout.task.value }
        logoutCount += 1
        giveUpLogin()
        let (saving, end) = (login?.shared, SharedResult<Void>())
        let task = Task {
            // Its result is on its way to the store: it is removed from there after it has arrived.
            await saving?.end()
            let outcome = await leave(endsProviderSession)
            logout = nil
            end.finish(.success(()))
            var failure: AuthStateError?
            if case .failed(let error) = outcome.removal { failure = error }
            apply(.ended(.signingOut, failure))
            return outcome
        }
        logout = Logout(task: task, end: end)
        apply(.left)
        apply(.began(.signingOut))
        return await task.value
    }

    private func leave(_ endsProviderSession: Bool) async -> LogoutOutcome {
        do {
            let authState = if let authState = authState ?? unremoved { authState } else { try await stored() }
            unfollow()
            apply(.left)
            let agent = OpeningUserAgent(base: userAgent) { [self] in
                logout?.isInBrowser = true
                apply(.ended(.signingOut, nil))
            }
            let outcome = await authState.logOut(
                endsProviderSession
                    ? .everywhere(agent, postLogoutRedirectURI: configuration.postLogoutRedirectURI) : .revoking)
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

/// Tells when a user agent is about to open a page.
private struct OpeningUserAgent: ExternalUserAgent {
    let base: any ExternalUserAgent
    let opens: @MainActor @Sendable () -> Void

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        await opens()
        return try await base.prepare(redirectURI: redirectURI, for: purpose)
    }
}
