public import AuthStateKit
public import AuthStateOAuth
import AuthStateUserAgent

extension AuthSessionCore {
    /// Takes the user through a login, and keeps its result in place of the previous login, if there is one.
    ///
    /// A userinfo endpoint that fails does not fail the login: then the claims of the ID token are all there is.
    /// Userinfo about another subject fails it, and nothing is kept. A call with the same parameters joins the first.
    ///
    /// - Parameters:
    ///   - prompt: The prompts that the provider shows, for example `[.selectAccount]`; nil leaves them as configured.
    ///   - loginHint: The user who is likely to log in.
    ///   - additionalParameters: Further parameters that the provider understands, for this login.
    /// - Throws: `AuthStateError`, of kind `.cancelled` when the user cancels, or after a sign-out in the meantime;
    ///   `CancellationError`. The previous login then stays; of a task that is cancelled while the result is being saved the
    ///   login is kept, and shown.
    @discardableResult
    public func signIn(
        prompt: [AuthorizationRequest.Prompt]? = nil, loginHint: String? = nil, additionalParameters: Parameters = [:]
    ) async throws -> AuthUser {
        try await logIn(.browser(prompt: prompt, loginHint: loginHint, additionalParameters: additionalParameters))
    }

    /// The same for callers without a task; the completion is called once, on the main actor.
    ///
    /// - Parameters:
    ///   - prompt: The prompts that the provider shows, for example `[.selectAccount]`; nil leaves them as configured.
    ///   - loginHint: The user who is likely to log in.
    ///   - additionalParameters: Further parameters that the provider understands, for this login.
    ///   - completion: Receives the user, or the error that the login ended with.
    /// - Returns: The login's task, to cancel it.
    @discardableResult
    public func signIn(
        prompt: [AuthorizationRequest.Prompt]? = nil, loginHint: String? = nil, additionalParameters: Parameters = [:],
        completion: @escaping @MainActor (Result<AuthUser, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task {
            do {
                let user = try await signIn(
                    prompt: prompt, loginHint: loginHint, additionalParameters: additionalParameters)
                completion(.success(user))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Completes a login whose answer came after the app was restarted.
    ///
    /// - Parameters:
    ///   - pending: The stored login; one of this session's client.
    ///   - callback: The provider's answer to this login.
    /// - Throws: As `signIn` does.
    @discardableResult
    public func complete(_ pending: PendingAuthorization, callback: AuthorizationCallback) async throws -> AuthUser {
        try await logIn(.answer(pending, callback))
    }

    /// Completes a login or logout whose redirect reached a `RedirectRouter` after the app was restarted.
    ///
    /// - Returns: The user who has logged in; nil for a logout.
    /// - Throws: As `signIn` does; `.invalidArgument` for a login of another session's client.
    @discardableResult
    public func complete(_ redirect: RestoredRedirect) async throws -> AuthUser? {
        switch redirect.flow {
        case .login(let pending): return try await complete(pending, callback: redirect.callback)
        case .logout(let pending):
            try service.complete(pending, callback: redirect.callback)
            return nil
        }
    }

    /// Cancels the sign-in in progress, as the cancellation of its task does; has no effect once it is being saved.
    public func cancelSignIn() {
        if login?.isKeeping == false { giveUpLogin() }
    }
}
