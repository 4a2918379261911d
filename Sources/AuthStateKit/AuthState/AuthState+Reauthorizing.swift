public import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// Sends a request as `performAction(_:parameters:policy:)` does; when that fails because a login is needed, logs
    /// the user in and sends it once more.
    ///
    /// The result of the login is kept only when it is of the same account, `iss` and `sub` compared to the byte: a
    /// request of one user is never sent as another's. Calls at the same time share one login. When no user was logged
    /// in before, any account is accepted.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - reauthorize: The way in which the user logs in again.
    /// - Throws: As `performAction(_:parameters:policy:)`; `AuthStateError` of the login: `.cancelled` when the user
    ///   gives up, `.accountChanged` when another account logged in (its tokens are revoked, and the state is
    ///   unchanged), `.unsupported` when there is no ID token to compare the accounts. `CancellationError`.
    public nonisolated(nonsending) func performAction(
        _ request: TransportRequest,
        parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil,
        reauthorize: Reauthorization
    ) async throws -> TransportResponse {
        let account = reauthorize.account.usesIDTokens ? record.idToken : nil
        return try await withReauthorization(reauthorize) {
            // Checked before each sending: another process may log another user in at any time.
            try await perform(request, parameters, policy, by: service.transport.send) { tokens in
                if let account, tokens.idToken != account {
                    try IDToken.checkAccount(of: tokens.idToken, isThatOf: account)
                }
            }
        }
    }

    /// Runs a body; when it fails because a login is needed, logs the user in and runs it once more.
    ///
    /// For `withFreshToken`, `userInfo` and other calls that need a login. An `AuthStateError` of kind
    /// `.reauthenticationRequired` leads to the login, also when the body itself throws it.
    ///
    /// - Throws: As `performAction(_:parameters:policy:reauthorize:)`, and the body's errors.
    public nonisolated(nonsending) func withReauthorization<R>(
        _ reauthorize: Reauthorization, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        let before = record
        do { return try await body() } catch let error as AuthStateError where error.kind == .reauthenticationRequired {
            try await logInAgain(reauthorize, because: error, before: before)
        }
        return try await body()
    }

    /// Logs the user of a state in again, unless that has happened since the call began, with the state `before`.
    private func logInAgain(_ how: Reauthorization, because error: AuthStateError, before: Record) async throws {
        // A client that asks in its own name has no user to log in.
        guard before.machineGrant == nil else { throw error }
        guard !before.hasTokens || how.account.canCompare(before) else { throw AuthStateError(unknownAccount: error) }
        let running = work.reauthorization.flatMap { $0.isOver ? nil : $0 }
        let grantID = newest.grantID
        if running != nil || grantID == before.grantID || !(newest.hasTokens || before.hasTokens) {
            let login = running ?? SharedLogin { [self] in try await logIn(how, because: error, over: grantID) }
            work.reauthorization = login
            try await login.value()
        }
        // A logout meanwhile is not undone.
        guard newest.isAuthorized else { throw error }
        if how.account.usesIDTokens, let idToken = before.idToken {
            try IDToken.checkAccount(of: newest.idToken, isThatOf: idToken)
        }
    }

    /// Logs the user in, and replaces a grant with the result, unless the grant has changed meanwhile.
    private func logIn(_ how: Reauthorization, because error: AuthStateError, over grantID: String) async throws {
        var request = how.request(of: newest, after: error)
        try await prepare(&request)
        // A login or logout elsewhere came in between.
        guard newest.grantID == grantID else { return }
        let (response, tokens) = try await how.login(request, service)
        // The same may have happened while the page was shown. A store that cannot be read fails the save, which
        // reports it.
        try? await reload()
        guard newest.grantID == grantID else { return await revoke(tokens) }
        do {
            try Task.checkCancellation()
            let before = newest
            if before.hasTokens || before.idToken != nil { try await how.account.check(tokens, against: before) }
            // The program's comparison takes time: a login or logout elsewhere may have come in between.
            guard newest.grantID == grantID else {
                await service.giveBack(tokens, of: before.client)
                return
            }
        } catch {
            await service.giveBack(tokens, of: newest.client)
            throw error
        }
        try await take(response, tokens)
    }
}

extension AuthState.Record {
    /// Whether there are tokens of a grant, valid or not.
    fileprivate var hasTokens: Bool { lastTokenResponse != nil || refreshToken != nil }
}

extension AuthStateError {
    /// Makes the error of a login whose account cannot be compared with the one before.
    fileprivate init(unknownAccount reason: AuthStateError) {
        self.init(
            .unsupported, stage: .authorization,
            "The user has to log in again, and without an ID token the two accounts cannot be compared.",
            expected: "a login with the scope openid, or another comparison",
            hint: "Log in anew and make the request again, or give the Reauthorization an account comparison.",
            underlying: reason)
    }
}
