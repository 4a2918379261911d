import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Renews in one transaction: lease, read again, still needed?, reserve, redeem, save, publish, release.
    func renew(_ flight: Flight) async throws -> Tokens {
        try await step(RenewalStep(.renewal), by: flight.instrument) {
            do {
                return try await transaction { state, lease in try await state.renew(flight, under: lease) }
            } catch let error as AuthStateError {
                notify(.renewalFailed(error))
                throw error
            }
        }
    }

    private func renew(_ flight: Flight, under lease: any AuthStateLease) async throws -> Tokens {
        let lease = flight.instrument.map { InstrumentedLease(base: lease, instrument: $0) } ?? lease
        return try await step(RenewalStep(.lease), by: flight.instrument) {
            do { return try await renewal(flight, under: lease) } catch let superseded as Superseded {
                // The newer state is saved before the lease is released: the refresh token that is stored may be spent.
                await persist(under: lease)
                throw superseded
            }
        }
    }

    private func renewal(_ flight: Flight, under lease: any AuthStateLease) async throws -> Tokens {
        try await synchronize(with: lease)
        // A login that waits for the lease, whose tokens are delivered below; or that the holder before died. Saved before space
        // is reserved, which a save uses up.
        if !ledger.isSaved { await persist(under: lease) }
        guard record.grantID == flight.grantID else { throw Superseded() }
        if flight.reason != .explicit, let error = record.authorizationError { throw error }
        if let tokens = usableTokens(flight.parameters, reason: flight.reason, of: record) {
            return Tokens(storage: tokens)
        }
        if flight.reason != .explicit { try checkPause() }
        guard let request = record.renewalRequest(flight.parameters) else {
            throw record.lastTokenResponse == nil && record.idToken == nil
                ? .noUserIsLoggedIn : nothingToRenewWith(flight)
        }
        // A token is not redeemed beside a state that cannot be saved.
        if !ledger.isSaved, let error = ledger.storeError?.value { throw error }
        try await lease.reserve()
        notify(.renewalStarted)
        let (redemption, asked) = await redeem(request, flight, under: lease)
        guard record.grantID == flight.grantID else {
            notify(.lateResultDropped)
            if case .tokens(let late) = redemption { throw Superseded(late: late) }
            throw Superseded()
        }
        return try await settle(redemption, of: request, asked: asked, flight, under: lease)
    }

    /// Turns the provider's answer into the next state, saves it, and only then returns tokens.
    private func settle(
        _ redemption: AuthorizationService.Redemption, of request: TokenRequest, asked: Stamp, _ flight: Flight,
        under lease: any AuthStateLease
    ) async throws -> Tokens {
        switch redemption {
        case .tokens(let answer):
            let response = answer.answering(request)
            await secure(response, asked: asked, under: lease)
            let verified = await verify(response)
            guard record.grantID == flight.grantID else {
                notify(.lateResultDropped)
                throw Superseded(late: response)
            }
            if case .failure(let error) = verified {
                await keep(refreshToken: response.refreshToken, asked: asked, after: error, under: lease)
                throw error
            }
            let more = response.scopes(beyond: request.scopes.isEmpty ? record.scope : request.scopes.requested)
            if !more.isEmpty { notify(.scopeWidened(more)) }
            let tokens = try await take(verified.get(), asked: asked, flight, under: lease)
            // Only now: a caller who is refused during the save waits for these tokens.
            if case .rejected(let token) = flight.reason { change { $0.renewed(rejected: token) } }
            return tokens
        case .refused(let error, let refreshToken):
            await keep(refreshToken: refreshToken, asked: asked, after: error, under: lease)
            throw error
        case .cancelled:
            await persist(.renewalUnconfirmed, under: lease)
            throw AuthStateError(.connectionLost, stage: .refresh, "The renewal was given up.", hint: "Try again.")
        case .failed(let error, let isUnconfirmed):
            return try await fail(error, isUnconfirmed: isUnconfirmed, of: request, flight, under: lease)
        }
    }

    /// Saves a rotated refresh token before the ID token beside it is verified: the provider's keys may take long to
    /// arrive, and the grant must not be lost when the program ends meanwhile.
    private func secure(_ response: TokenResponse, asked: Stamp, under lease: any AuthStateLease) async {
        guard response.idToken != nil, let refreshToken = response.refreshToken, refreshToken != record.refreshToken
        else { return }
        await persist(.rotated(refreshToken: refreshToken), at: asked, under: lease)
    }

    private func take(
        _ response: TokenResponse, asked: Stamp, _ flight: Flight, under lease: any AuthStateLease
    ) async throws -> Tokens {
        if flight.parameters == .none {
            let end = record.loginExpirationDate
            await persist(.renewed(response), at: asked, under: lease)
            guard record.grantID == flight.grantID else { throw Superseded(late: response) }
            noteEnd(of: record, before: end)
        } else {
            if let refreshToken = response.refreshToken {
                await persist(.rotated(refreshToken: refreshToken), at: asked, under: lease)
            }
            guard record.grantID == flight.grantID else { throw Superseded() }
            change { $0.took(response, for: flight.parameters) }
        }
        notify(.renewed)
        return Tokens(storage: storage(response, of: record))
    }

    /// Reports the end of a login that is near, and that a renewal has not moved.
    private func noteEnd(of record: Record, before: Date?) {
        guard let end = record.loginExpirationDate, let before, end < before.addingTimeInterval(60),
            end.timeIntervalSince(service.configuration.clock.now) < options.loginExpiryNotice.inSeconds
        else { return }
        notify(.loginExpiring(end))
    }

    private func fail(
        _ error: AuthStateError, isUnconfirmed: Bool, of request: TokenRequest, _ flight: Flight,
        under lease: any AuthStateLease
    ) async throws -> Tokens {
        switch RenewalClassification(error, grantType: request.grantType) {
        case .reauthenticationRequired:
            // A process without the lease may have rotated the refresh token: the stored one is then newer than the
            // refused one.
            try await synchronize(with: lease)
            guard record.grantID == flight.grantID else { throw Superseded() }
            if record.refreshToken != request.grant.refreshToken {
                if let tokens = usableTokens(flight.parameters, reason: flight.reason, of: record) {
                    return Tokens(storage: tokens)
                }
                throw Superseded()
            }
            let error = explained(error)
            await persist(.tokenRefused(request.grant.refreshToken ?? "", error), under: lease)
            // A login that came meanwhile has another token.
            guard record.grantID == flight.grantID else { throw Superseded() }
            throw error
        case .refusedWithoutReason:
            let error = explained(error)
            await hold(for: Self.pause / 2, after: error, under: lease)
            throw error
        case .transient(let retryAfter):
            if isUnconfirmed { await persist(.renewalUnconfirmed, under: lease) }
            if let retryAfter, retryAfter > 0 {
                await hold(for: min(retryAfter, Self.longestPause), after: error, under: lease)
            }
        case .configuration, .refusedAnswer:
            if isUnconfirmed { await persist(.renewalUnconfirmed, under: lease) }
        }
        throw error
    }

    /// Returns a refusal with its probable cause: the refresh token was spent, and the answer with the new one was
    /// lost.
    private func explained(_ refusal: AuthStateError) -> AuthStateError {
        guard record.unconfirmedRenewal != nil else { return refusal }
        var error = refusal
        error.message += " The answer to an earlier renewal was lost on its way; it may have held the new token."
        return error
    }

    /// Keeps the refresh token of an answer whose tokens are withheld, and leaves the provider alone for a minute.
    private func keep(
        refreshToken: String?, asked: Stamp, after error: AuthStateError, under lease: any AuthStateLease
    ) async {
        if refreshToken == nil, error.code == .malformedResponse {
            await persist(.renewalUnconfirmed, under: lease)
        } else {
            await hold(refreshToken: refreshToken, at: asked, for: Self.pause, after: error, under: lease)
        }
    }

    private func hold(
        refreshToken: String? = nil, at stamp: Stamp? = nil, for seconds: Double, after error: AuthStateError,
        under lease: any AuthStateLease
    ) async {
        let now = service.configuration.clock.now
        let pause = RenewalPause(from: now, until: now.addingTimeInterval(seconds), error: error)
        await persist(.renewalRefused(refreshToken: refreshToken, pause: pause), at: stamp, under: lease)
    }

    /// The time for which a refused renewal is not tried again, in seconds.
    private static let pause: Double = 60
    /// The longest time for which a provider may ask not to be called, in seconds.
    private static let longestPause: Double = 3600

    private func checkPause() throws {
        guard let pause = record.renewalPause, pause.contains(service.configuration.clock.now) else { return }
        let seconds = pause.until.timeIntervalSince(service.configuration.clock.now)
        var error = pause.error
        error.message += " The next renewal is tried in \(Int(seconds.rounded(.up))) s."
        error.retryAfter = .seconds(seconds)
        throw error
    }

    private func nothingToRenewWith(_ flight: Flight) -> AuthStateError {
        let left = record.accessTokenExpirationDate?.timeIntervalSince(service.configuration.clock.now) ?? 0
        let seconds = { (seconds: Double) in "\(Int(seconds)) seconds" }
        var error = AuthStateError(
            .noRefreshToken, stage: .refresh,
            "The access token has ended, and there is no refresh token to renew it with.",
            hint: "Log in again; ask for the scope offline_access, and for prompt=consent, if the provider needs them.")
        if left > 0 {
            error.message =
                "The access token is valid for \(seconds(left)), and there is no refresh token to renew it with."
        }
        if !flight.parameters.isNone {
            error.message =
                "There is no refresh token, and only with one can a token for other scopes or resources be had."
        } else if case .shortLived(let needed) = flight.reason, left > 0 {
            error.message = "The access token expires too soon, and there is no refresh token to renew it with."
            (error.expected, error.received) = ("valid for \(seconds(needed))", "valid for \(seconds(left))")
        }
        return error
    }
}
