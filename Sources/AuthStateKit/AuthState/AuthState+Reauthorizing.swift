public import AuthStateOAuth

extension AuthState {
    /// Sends a request as `performAction(_:parameters:policy:)` does; when that fails because somebody has to log in, lets
    /// them, and sends it once more.
    ///
    /// The login's result is kept only when it is the same account's, `iss` and `sub` compared to the byte: a request of one
    /// person never goes out as another's. Calls at the same time share one login. When nobody was logged in there is nothing
    /// to compare, and whoever logs in is taken.
    ///
    /// - Parameter reauthorize: How the person logs in again.
    /// - Throws: As without a login; `AuthStateError` of the login, `.cancelled` when the person gives up, `.accountChanged`
    ///   when another account logged in: its tokens are given back, and the state is as it was; `.unsupported` when there is
    ///   no ID token to know the account by. `CancellationError`.
    public nonisolated(nonsending) func performAction(
        _ request: TransportRequest,
        parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil,
        reauthorize: Reauthorization
    ) async throws -> TransportResponse {
        let account = snapshot.idToken
        return try await withReauthorization(reauthorize) {
            // Before each sending: another process may log somebody else in at any time.
            try await performAction(request, parameters: parameters, policy: policy) { tokens in
                if let account, tokens.idToken != account {
                    try IDToken.checkAccount(of: tokens.idToken, isThatOf: account)
                }
            }
        }
    }

    /// Runs a body; when it fails because somebody has to log in, lets them, and runs it once more.
    ///
    /// For `withFreshToken`, `userInfo` and whatever else needs a login. An `AuthStateError` of kind
    /// `.reauthenticationRequired` is what leads to one, also when the body itself throws it.
    ///
    /// - Throws: As `performAction(_:parameters:policy:reauthorize:)` does, and what the body throws.
    public nonisolated(nonsending) func withReauthorization<R>(
        _ reauthorize: Reauthorization, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        let before = snapshot
        do { return try await body() } catch let error as AuthStateError where error.kind == .reauthenticationRequired {
            try await logInAgain(reauthorize, because: error, before: before)
        }
        return try await body()
    }

    /// Lets the person of a state log in again, unless somebody has done so since.
    ///
    /// - Parameter before: The state when the call began.
    private func logInAgain(_ how: Reauthorization, because error: AuthStateError, before: Record) async throws {
        // A client that asks in its own name has nobody to log in.
        guard before.machineGrant == nil else { throw error }
        guard before.idToken != nil || !before.hasTokens else { throw AuthStateError(unknownAccount: error) }
        let running = reauthorization.flatMap { $0.isOver ? nil : $0 }
        let isSame = record.grantID == before.grantID || !(record.hasTokens || before.hasTokens)
        if running != nil || isSame {
            try await (running ?? start(how, because: error)).value()
        }
        // A logout meanwhile is not undone.
        guard record.isAuthorized else { throw error }
        if let idToken = before.idToken { try IDToken.checkAccount(of: record.idToken, isThatOf: idToken) }
    }

    private func start(_ how: Reauthorization, because error: AuthStateError) -> SharedLogin<Void> {
        let grantID = record.grantID
        let login = SharedLogin { [self] in try await logIn(how, because: error, over: grantID) }
        reauthorization = login
        return login
    }

    /// Takes the person through a login, and keeps it over a grant, if nothing has become of that meanwhile.
    private func logIn(_ how: Reauthorization, because error: AuthStateError, over grantID: String) async throws {
        let request = how.request(of: record, after: error)
        let credential = try await readiness(for: request)
        // Somebody has logged in or out elsewhere.
        guard record.grantID == grantID else { return }
        let (response, tokens) = try await how.login(request, service, credential)
        // Somebody may have done so while the page was shown; a store that cannot be read fails the save, and says so.
        try? await reload()
        guard record.grantID == grantID else { return await revoke(tokens) }
        do {
            try Task.checkCancellation()
            if let idToken = record.idToken {
                try IDToken.checkAccount(
                    of: tokens.idTokenTrust == nil ? nil : tokens.idToken, isThatOf: idToken)
            }
        } catch {
            await service.giveBack(record.applying(.loggedIn(response, tokens)))
            throw error
        }
        try await take(response, tokens)
    }
}

extension AuthState.Record {
    /// Whether there is something that was granted, whatever became of it.
    fileprivate var hasTokens: Bool { lastTokenResponse != nil || refreshToken != nil }
}

extension AuthStateError {
    /// Nobody could tell whether the same person logs in again.
    fileprivate init(unknownAccount reason: AuthStateError) {
        self.init(
            .unsupported, stage: .authorization,
            "Somebody has to log in again, and without an ID token nobody can tell whether it is the same account.",
            expected: "a login with the scope openid", hint: "Log in anew, then make the request again.",
            underlying: reason)
    }
}
