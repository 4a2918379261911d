public import AuthStateOAuth

extension AuthSessionCore {
    /// Takes the person through a login, and keeps its result over the login of before, if there is one.
    ///
    /// A userinfo endpoint that fails does not fail the login: the ID token has to do then. One that speaks of somebody else
    /// does, and nothing is kept. A second call with the same wishes joins the first.
    ///
    /// - Parameters:
    ///   - prompt: What the provider shall ask of the person, for example `[.selectAccount]`; nil leaves it as configured.
    ///   - loginHint: Who is likely to log in.
    ///   - additionalParameters: Whatever else the provider understands, in this login.
    /// - Throws: `AuthStateError`, of kind `.cancelled` when the person gives up, or somebody signs out meanwhile;
    ///   `CancellationError`. The login of before then goes on.
    @discardableResult
    public func signIn(
        prompt: [AuthorizationRequest.Prompt]? = nil, loginHint: String? = nil, additionalParameters: Parameters = [:]
    ) async throws -> AuthUser {
        try await logIn(.browser(prompt: prompt, loginHint: loginHint, additionalParameters: additionalParameters))
    }

    /// The same for callers without a task; the completion is called once, on the main actor.
    ///
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

    /// Completes a login whose answer came after the app was ended and begun again.
    ///
    /// - Parameter pending: The login, as it was kept; one of this session's client.
    /// - Throws: As `signIn` does.
    @discardableResult
    public func complete(
        _ pending: PendingAuthorization, callback: AuthorizationCallback
    ) async throws -> AuthUser {
        try await logIn(.answer(pending, callback))
    }

    /// Completes what came back to a `RedirectRouter` after the app was ended and begun again.
    ///
    /// - Returns: Who has logged in; nil when it was a logout.
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

    /// Gives the login up that is under way, as the cancellation of its task does; too late when it is being saved.
    public func cancelSignIn() {
        if login?.isKeeping == false { giveUpLogin() }
    }
}
