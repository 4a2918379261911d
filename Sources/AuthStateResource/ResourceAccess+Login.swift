import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateServer
import AuthStateSystem
import AuthStateUserAgent

extension ResourceAccess {
    /// What a call had when it was refused.
    struct Seen: Sendable {
        /// The grant; nil for none.
        var grantID: String?
        /// The access token, when any other one of the same grant may do.
        var accessToken: String?
        /// Whether the call shows what the resource allows; one that takes a token away does not.
        var showsAnswers = false
        /// The scopes that a login of another caller must have asked for.
        var scopes: [Scope] = []
        /// The challenge whose strength such a login must have asked for; nil for any.
        var stronger: AuthenticationChallenge?

        /// Notes what a request is sent with: another login may have been adopted since the call began.
        mutating func uses(_ tokens: Tokens, of state: AuthState) {
            accessToken = tokens.accessToken
            let record = state.record
            if record.accessToken == tokens.accessToken { grantID = record.grantID }
        }
    }

    /// Whether a state has a grant, or tokens, that a call has not tried.
    private func isNew(_ state: AuthState, since seen: Seen) -> Bool {
        let record = state.record
        guard isOurs(state), state.isAuthorized,
            record.grantID != seen.grantID || seen.accessToken.map({ $0 != record.accessToken }) ?? false
        else { return false }
        if let challenge = seen.stronger, !record.hasAsked(for: challenge) { return false }
        let asked = seen.scopes.isEmpty ? [] : record.requestedScopes
        // Not every server names this one in its answer.
        return seen.scopes.allSatisfy { $0 == .offlineAccess || asked.contains($0) }
    }

    /// Logs in, unless another call or process has done so since, or is about to.
    ///
    /// - Parameters:
    ///   - error: The reason, whose challenge leads; nil for a login that the program asked for.
    ///   - seen: What the caller used.
    ///   - since: The number of logins that had ended when the call began: it shares the failure of one that ended later.
    /// - Returns: Whether the call made the login, and did not adopt another's.
    @discardableResult
    func logIn(because error: AuthStateError?, seen: Seen, since: Int) async throws -> Bool {
        if try await isMade(seen, since: since) { return false }
        let login = SharedLogin { [self] in
            do {
                let isOwn = try await perform(because: error, seen: seen)
                await ended(nil)
                return isOwn
            } catch {
                await ended(error)
                throw error
            }
        }
        running = login
        return try await login.value()
    }

    /// Returns whether another call has made a login: waits for the one in progress, and shares the failure of one that ended
    /// after this call had begun.
    func isMade(_ seen: Seen, since: Int) async throws -> Bool {
        if let running, !running.isOver {
            _ = try await running.value()
            return true
        }
        if let state, isNew(state, since: seen) { return true }
        if let failure = history.failure(since: since) { throw failure }
        return false
    }

    private func ended(_ error: (any Error)?) { history.loginEnded(error) }

    private func perform(because error: AuthStateError?, seen: Seen) async throws -> Bool {
        if try await isMadeElsewhere(seen, because: error) { return false }
        if let error, error.isFailedRenewal(of: state?.record) { try await checkServer(because: error) }
        if case .elsewhere = login.way { throw needsPerson(because: error, seen: seen) }
        try await place.tryStore()
        guard login.hasPage || login.isOnDevice else { return try await make(because: error, seen: seen, in: nil) }
        return try await inTurn { [self] turn in
            if try await isMadeElsewhere(seen, because: error) { return false }
            if let failure = turn?.failure { throw failure }
            return try await make(because: error, seen: seen, in: turn)
        }
    }

    /// Returns whether another process has made a login: reads what is stored.
    ///
    /// - Throws: As `checkKey()`, where an error leads to the login.
    private func isMadeElsewhere(_ seen: Seen, because error: AuthStateError?) async throws -> Bool {
        // Another process may have logged in, or out.
        if let state { try? await state.reload() } else { state = try await restored() }
        if let state, isNew(state, since: seen) { return true }
        if error != nil { try await checkKey() }
        return false
    }

    private func make(because error: AuthStateError?, seen: Seen, in turn: Turn?) async throws -> Bool {
        while true {
            let plan = try await plan(because: error)
            // A renewal of another call, or a login elsewhere, may have ended meanwhile.
            if let state, isNew(state, since: seen) { return false }
            do {
                try await logIn(by: plan, in: turn)
                await turn?.succeed()
                return true
            } catch let refusal as AuthStateError {
                if refusal.code == .invalidScope, history.scopesRefused() { continue }
                // The server no longer knows the client that registered there; one that registered just now is not refused
                // for that.
                guard refusal.code == .invalidClient, let known = plan.registration?.clientID,
                    let issuer = plan.provider.issuer, history.forget(known, at: issuer)
                else {
                    await turn?.fail(refusal, at: plan.provider)
                    throw refusal
                }
            }
        }
    }

    /// Returns the error that leads to a login of a user; the error itself where the login that it led to before brought the
    /// same, so that no browser goes round in circles.
    private func needsPerson(because error: AuthStateError?, seen: Seen) -> AuthStateError {
        // The call may have met the end of a grant that it adopted.
        let grantID = state.flatMap { isOurs($0) && !$0.isAuthorized ? $0.record.grantID : nil } ?? seen.grantID
        if var error, let grantID, seen.showsAnswers,
            [.tokenRejected, .insufficientUserAuthentication].contains(error.code), history.refused(grantID)
        {
            error.message += " A new login has not changed that."
            error.hint = "Ask the operator of the resource; the user can begin a login by hand."
            return error
        }
        return .personNeeded(for: resource, because: error, of: grantID)
    }

    /// Throws the error of a renewal unless the resource names another server than the one that did not renew the tokens.
    private func checkServer(because error: AuthStateError) async throws {
        let issuer = state?.record.client.provider.issuer
        guard let plan = try? await plan(because: error), plan.provider.issuer != issuer else { throw error }
    }

    /// Refuses to replace a login that is not this resource's, unless the program asks for a login itself.
    private func checkKey() async throws {
        guard let other = try await stored(at: place), other.isAuthorized,
            other.annotations[Self.annotation] != resource.rawValue
        else { return }
        throw otherLogin(other)
    }

    private func logIn(by plan: Plan, in turn: Turn?) async throws {
        switch login.way {
        case .elsewhere: break
        case .clientCredentials, .signedAssertion, .assertion: try await logInProgram(by: plan)
        case .browser(let userAgent): try await logInPerson(by: plan, userAgent)
        case .device(let present): try await logInOnDevice(by: plan, in: turn, present)
        }
    }

    private func logInOnDevice(
        by plan: Plan, in turn: Turn?, _ present: @escaping @Sendable (DeviceAuthorizationResponse) async throws -> Void
    ) async throws {
        let (client, registration) = try await client(by: plan, redirectURI: nil)
        var request = DeviceAuthorizationRequest(client, scopes: plan.scopes, resources: plan.resources)
        request.dpopKey = plan.dpopKey
        for name in ["acr_values", "max_age"] { request.additionalParameters[name] = plan.stronger?[name] }
        let login = AuthState.Login.device(request) { [resource] response in
            await turn?.announce(response, for: resource)
            try await present(response)
        }
        let (record, event) = try await login.grant(at: place)
        try await keep(record, event, of: plan.scopes, registration, over: plan.grantID)
    }

    private func logInPerson(by plan: Plan, _ userAgent: any ExternalUserAgent) async throws {
        let listener = try await plan.listener(userAgent, options.redirectURI)
        let request: AuthorizationRequest
        let registration: RegistrationResponse?
        do {
            (request, registration) = try await self.request(
                by: plan, redirectURI: listener?.redirectURI ?? options.redirectURI)
        } catch {
            await listener?.giveUp(error)
            throw error
        }
        let (response, tokens) = try await service.authorize(request, presenting: listener ?? userAgent)
        try await keep(response, tokens, registration, over: plan.grantID)
    }

    /// Returns the authorization request of a plan, and the registration of its client; one that has to register does so now.
    func request(by plan: Plan, redirectURI: RedirectURI?) async throws -> (AuthorizationRequest, RegistrationResponse?)
    {
        let (client, registration) = try await client(by: plan, redirectURI: redirectURI)
        var request = AuthorizationRequest(client, scopes: plan.scopes, redirectURI: redirectURI)
        request.resources = plan.resources
        request.dpopKey = plan.dpopKey
        if let challenge = plan.stronger { request.strengthen(by: challenge) }
        options.prepare(&request)
        // A resource's wish for an identity is not the program's; the age of a login is in an ID token alone.
        request.mayLackIDToken =
            plan.scopes.contains(.openID) && options.scopes?.contains(.openID) != true && request.maxAge == nil
        return (request, registration)
    }
}

extension AuthStateError {
    /// A login is needed, and the program has no way to show a page. The status is 401 where the resource refused the token, or
    /// wants one; there is none where the grant has ended.
    static func personNeeded(
        for resource: ResourceIdentifier, because reason: AuthStateError?, of grantID: String?
    ) -> AuthStateError {
        var error = AuthStateError(
            .notLoggedIn, stage: .authorization, "A user has to log in for \(resource).",
            hint: "Begin a login, and show its page to the user.",
            httpStatus: reason?.code == .tokenRejected ? 401 : nil, underlying: reason)
        (error.challenge, error.grantID) = (reason?.challenge, grantID)
        return error
    }
}
