import AuthStateFoundation
import AuthStateOAuth
import AuthStateSystem

/// The decisions of a renewal, in their order.
extension AuthState.Renewal {
    mutating func follow(_ next: Next, _ ledger: inout AuthState.Ledger) -> Step {
        let isCurrent = ledger.newest.value.grantID == grantID
        switch next {
        case .decide where isCurrent: return decide(ledger)
        case .askAgain(let answer) where isCurrent && moment.remaining > .seconds(1):
            return go(to: .reservingAgain(answer), .reserve)
        case .askAgain(let answer): return settle(answer, &ledger)
        case .verify(let response, let request, let asked):
            return go(to: .verifying(response, of: request, asked: asked), .verify(response))
        case .deliver(let response, let end) where isCurrent: return deliver(response, end, &ledger)
        case .deliver(let response, _): return supersede(late: parameters.isNone ? response : nil, &ledger)
        // A login that came meanwhile has another token.
        case .refuse(let error) where isCurrent: return finish(.failed(error))
        case .fail(let error): return finish(.failed(error))
        case .decide, .refuse: return supersede(&ledger)
        case .supersede(let late): return finish(.superseded(late: late))
        }
    }

    /// Decides from what is known under the lease whether to renew.
    private mutating func decide(_ ledger: AuthState.Ledger) -> Step {
        let record = ledger.newest.value
        if reason != .explicit, let error = record.authorizationError { return finish(.failed(error)) }
        if let usable = usable(ledger) { return finish(.tokens(usable)) }
        let pauses = [record.renewalPause, ledger.pauses[parameters]].compactMap(\.self)
        if reason != .explicit, let pause = pauses.first(where: { $0.contains(moment.now) }) {
            return finish(.failed(pause.error(at: moment.now)))
        }
        guard let request = record.renewalRequest(parameters) else {
            let isGranted = record.lastTokenResponse != nil || record.idToken != nil
            return finish(.failed(isGranted ? nothingToRenewWith(record) : AuthStateError.noUserIsLoggedIn))
        }
        // A token is not redeemed beside a state that cannot be saved.
        if !ledger.isSaved, let error = ledger.storeError?.value { return finish(.failed(error)) }
        return go(to: .reserving(request), .reserve)
    }

    /// Sends a request again only where that cannot spend a token twice, or where the provider allows that.
    mutating func answered(_ answer: Answer, _ ledger: inout AuthState.Ledger) -> Step {
        guard case .failed(let error, let isUnconfirmed) = answer.redemption else {
            return settle(answer, &ledger)
        }
        let request = answer.request
        if isUnconfirmed, request.client.provider.tolerances.contains(.refreshTokenGrace), !isAskedAgain,
            error.retryAfter == nil, request.grantType == .refreshToken
        {
            isAskedAgain = true
            return save(.renewalUnconfirmed, then: .askAgain(answer), &ledger)
        }
        let pause = error.retryAfter ?? .seconds(0.25 * Double(1 << retries) * moment.jitter)
        guard retries < options.renewalRetries, pause + .seconds(1) < moment.remaining,
            RenewalClassification.isSafeToRepeat(error, isUnconfirmed: isUnconfirmed)
        else { return settle(answer, &ledger) }
        return go(to: .pausing(answer), .pause(pause))
    }

    /// Takes the last answer: tokens are saved before they are returned, and a refresh token even when they are withheld.
    mutating func settle(_ answer: Answer, _ ledger: inout AuthState.Ledger) -> Step {
        let request = answer.request
        guard ledger.newest.value.grantID == grantID else {
            events.append(.lateResultDropped)
            return supersede(late: try? answer.redemption.get(), &ledger)
        }
        switch answer.redemption {
        case .tokens(let tokens):
            let response = tokens.answering(request)
            let next = Next.verify(response, of: request, asked: answer.asked)
            // Saved before the ID token beside it is verified: the provider's keys may take long to arrive, and the grant must
            // not be lost when the program ends meanwhile.
            guard response.idToken != nil, let refreshToken = response.refreshToken,
                refreshToken != ledger.newest.value.refreshToken
            else { return follow(next, &ledger) }
            return save(.rotated(refreshToken: refreshToken), at: answer.asked, then: next, &ledger)
        case .refused(let error, let refreshToken):
            return keep(refreshToken, asked: answer.asked, after: error, &ledger)
        case .cancelled:
            let error = AuthStateError(
                .connectionLost, stage: .refresh, "The renewal was given up.", hint: "Try again.")
            return save(.renewalUnconfirmed, then: .fail(error), &ledger)
        case .failed(let error, let isUnconfirmed):
            return failed(error, isUnconfirmed: isUnconfirmed, request, &ledger)
        }
    }

    private mutating func failed(
        _ error: AuthStateError, isUnconfirmed: Bool, _ request: TokenRequest, _ ledger: inout AuthState.Ledger
    ) -> Step {
        switch RenewalClassification(error, grantType: request.grantType) {
        case .reauthenticationRequired: return go(to: .rereading(error, request), .load)
        case .refusedWithoutReason:
            let error = explained(error, ledger)
            hold(for: Self.pause / 2, after: error, &ledger)
            return save(then: .fail(error), &ledger)
        case .transient(let retryAfter):
            if isUnconfirmed { apply(.renewalUnconfirmed, &ledger) }
            if let retryAfter, retryAfter > 0 {
                hold(for: min(retryAfter, AuthState.RenewalPause.longest), after: error, &ledger)
            }
        case .configuration:
            if isUnconfirmed { apply(.renewalUnconfirmed, &ledger) }
            // For this process alone: others may have the right secret. Short, so that a corrected one is soon found. What cannot
            // be read is no refusal.
            if error.httpStatus != nil, error.response != nil || error.kind == .configuration,
                request.client == ledger.newest.value.client
            {
                events += ledger.paused(pause(for: 10 * moment.jitter, after: error), for: parameters)
            }
        }
        return save(then: .fail(error), &ledger)
    }

    /// Decides whether a refusal stands, after the store was read again.
    mutating func refused(
        _ error: AuthStateError, _ request: TokenRequest, _ ledger: inout AuthState.Ledger
    ) -> Step {
        let record = ledger.newest.value
        guard record.grantID == grantID else { return supersede(&ledger) }
        // A process without the lease has rotated the refresh token: the stored one is newer than the refused one.
        if record.refreshToken != request.grant.refreshToken {
            if let usable = usable(ledger) { return finish(.tokens(usable)) }
            return supersede(&ledger)
        }
        let error = explained(error, ledger)
        guard parameters.isNone else {
            let error = error.refusingParameters
            hold(for: Self.pause / 2, after: error, &ledger)
            return save(then: .refuse(error), &ledger)
        }
        return save(
            .tokenRefused(request.grant.refreshToken ?? "", error), then: .refuse(error), &ledger)
    }

    mutating func verified(
        _ result: Result<TokenResponse, AuthStateError>, of answer: TokenResponse, _ request: TokenRequest,
        asked: AuthState.Stamp, _ ledger: inout AuthState.Ledger
    ) -> Step {
        let record = ledger.newest.value
        guard record.grantID == grantID else {
            events.append(.lateResultDropped)
            return supersede(late: answer, &ledger)
        }
        let response: TokenResponse
        do { response = try result.get() } catch {
            return keep(answer.refreshToken, asked: asked, after: error, &ledger)
        }
        let more = response.scopes(beyond: request.scopes.isEmpty ? record.scope : request.scopes.requested)
        if !more.isEmpty { events.append(.scopeWidened(more)) }
        let next = Next.deliver(response, loginEndedAt: record.loginExpirationDate)
        if parameters.isNone { return save(.renewed(response), at: asked, then: next, &ledger) }
        if let refreshToken = response.refreshToken {
            return save(.rotated(refreshToken: refreshToken), at: asked, then: next, &ledger)
        }
        return follow(next, &ledger)
    }

    private mutating func deliver(
        _ response: TokenResponse, _ before: Date?, _ ledger: inout AuthState.Ledger
    ) -> Step {
        if parameters.isNone, let end = ledger.newest.value.loginExpirationDate, let before,
            end < before.addingTimeInterval(60),
            end.timeIntervalSince(moment.now) < options.loginExpiryNotice.inSeconds
        {
            // The end of the login is near, and the renewal has not moved it.
            events.append(.loginExpiring(end))
        }
        let rejected: String? = if case .rejected(let token) = reason { token } else { nil }
        // Only now: a caller who is refused during the save waits for these tokens.
        events += ledger.renewed(response, for: parameters, rejected: rejected)
        return finish(.tokens(response))
    }

    /// Keeps the refresh token of an answer whose tokens are withheld, and leaves the provider alone for a minute.
    private mutating func keep(
        _ refreshToken: String?, asked: AuthState.Stamp, after error: AuthStateError,
        _ ledger: inout AuthState.Ledger
    ) -> Step {
        if refreshToken == nil, error.code == .malformedResponse {
            apply(.renewalUnconfirmed, &ledger)
        } else {
            hold(refreshToken, at: asked, for: Self.pause, after: error, &ledger)
        }
        return save(then: .fail(error), &ledger)
    }

    private mutating func hold(
        _ refreshToken: String? = nil, at stamp: AuthState.Stamp? = nil, for seconds: Double,
        after error: AuthStateError, _ ledger: inout AuthState.Ledger
    ) {
        let pause = pause(for: seconds, after: error)
        // A refusal of other tokens says nothing about the default ones. A provider that is busy is so for all.
        guard parameters.isNone || error.kind == .transient else {
            if let refreshToken { apply(.rotated(refreshToken: refreshToken), at: stamp, &ledger) }
            events += ledger.paused(pause, for: parameters)
            return
        }
        apply(.renewalRefused(refreshToken: refreshToken, pause: pause), at: stamp, &ledger)
    }

    private func pause(for seconds: Double, after error: AuthStateError) -> AuthState.RenewalPause {
        AuthState.RenewalPause(from: moment.now, until: moment.now.addingTimeInterval(seconds), error: error)
    }

    /// The time for which a refused renewal is not tried again, in seconds.
    private static let pause: Double = 60

    private func usable(_ ledger: AuthState.Ledger) -> TokenResponse? {
        ledger.usableTokens(
            parameters, reason: reason, of: ledger.newest.value, at: moment.now.timeIntervalSince1970,
            leeway: options.leeway.inSeconds)
    }

    /// Returns a refusal with its probable cause: the refresh token was spent, and the answer with the new one was
    /// lost.
    private func explained(_ refusal: AuthStateError, _ ledger: AuthState.Ledger) -> AuthStateError {
        guard ledger.newest.value.unconfirmedRenewal != nil else { return refusal }
        var error = refusal
        error.message += " The answer to an earlier renewal was lost on its way; it may have held the new token."
        return error
    }

    private func nothingToRenewWith(_ record: AuthState.Record) -> AuthStateError {
        let left = record.accessTokenExpirationDate?.timeIntervalSince(moment.now) ?? 0
        let seconds = { (seconds: Double) in "\(Int(min(seconds, 1e15))) seconds" }
        var error = AuthStateError(
            .noRefreshToken, stage: .refresh,
            "The access token has ended, and there is no refresh token to renew it with.",
            hint: "Log in again; ask for the scope offline_access, and for prompt=consent, if the provider needs them.")
        if left > 0 {
            error.message =
                "The access token is valid for \(seconds(left)), and there is no refresh token to renew it with."
        }
        if !parameters.isNone {
            error.message =
                "There is no refresh token, and only with one can a token for other scopes or resources be had."
        } else if case .shortLived(let needed) = reason, left > 0 {
            error.message = "The access token expires too soon, and there is no refresh token to renew it with."
            (error.expected, error.received) = ("valid for \(seconds(needed))", "valid for \(seconds(left))")
        }
        return error
    }
}

extension AuthStateError {
    /// The refusal of tokens beside the default ones: some providers send `invalid_grant` for an API that the user has not
    /// consented to.
    fileprivate var refusingParameters: Self {
        var error = self
        error.code = .invalidTarget
        error.hint =
            recognizedFailure?.hint
            ?? "The provider issues no such token for this login, which is kept. Log in with these scopes or resources."
        return error
    }
}

extension AuthState.RenewalPause {
    fileprivate func error(at now: Date) -> AuthStateError {
        let seconds = end.timeIntervalSince(now)
        var error = error
        error.message += " The next renewal is tried in \(Int(seconds.rounded(.up))) s."
        error.retryAfter = .seconds(seconds)
        return error
    }
}
