import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthState {
    /// The transaction: lease, read again, still needed?, reserve, redeem, save, publish, release.
    func renew(_ flight: Flight) async throws -> Tokens {
        do {
            return try await store.withLease(key, deadline: options.leaseDeadline) { lease in
                try await self.renew(flight, under: lease)
            }
        } catch let error as AuthStateError {
            notify(.renewalFailed(error))
            guard let live = liveTokens(insteadOf: error, flight) else { throw error }
            return live
        }
    }

    private func renew(_ flight: Flight, under lease: any AuthStateLease) async throws -> Tokens {
        try await synchronize(with: lease)
        guard record.grantEpoch == flight.epoch else { throw Superseded() }
        if flight.reason != .explicit, let error = record.authorizationError { throw error }
        if let tokens = usableTokens(flight.parameters, reason: flight.reason) { return Tokens(storage: tokens) }
        if flight.reason != .explicit { try checkPause() }
        guard let request = record.renewalRequest(flight.parameters) else { throw Self.nothingToRenewWith }
        try await lease.reserve()
        notify(.renewalStarted)
        let redemption = await redeem(request)
        guard record.grantEpoch == flight.epoch else {
            notify(.lateResultDropped)
            if case .tokens(let late) = redemption { throw Superseded(late: late) }
            throw Superseded()
        }
        return try await settle(redemption, of: request, flight, under: lease)
    }

    /// Turns what the provider did into the next state, saves it, and only then lets anybody see tokens.
    private func settle(
        _ redemption: AuthorizationService.Redemption, of request: TokenRequest, _ flight: Flight,
        under lease: any AuthStateLease
    ) async throws -> Tokens {
        switch redemption {
        case .tokens(let response):
            let verified: TokenResponse
            do { verified = try await verify(response) } catch let error as AuthStateError {
                try await keep(refreshToken: response.refreshToken, after: error, pause: 60, under: lease)
                throw error
            }
            guard record.grantEpoch == flight.epoch else {
                notify(.lateResultDropped)
                throw Superseded(late: response)
            }
            if case .rejected(let token) = flight.reason { lastRejected = token }
            return try await take(verified, flight, under: lease)
        case .refused(let error, let refreshToken):
            try await keep(refreshToken: refreshToken, after: error, pause: 60, under: lease)
            throw error
        case .cancelled:
            await persist(.renewalUnconfirmed(service.configuration.clock.now), under: lease)
            throw AuthStateError(.connectionLost, stage: .refresh, "The renewal was given up.", hint: "Try again.")
        case .failed(let error, let isUnconfirmed):
            return try await fail(error, isUnconfirmed: isUnconfirmed, of: request, flight, under: lease)
        }
    }

    private func take(_ response: TokenResponse, _ flight: Flight, under lease: any AuthStateLease) async throws
        -> Tokens
    {
        if flight.parameters == .none {
            await persist(.renewed(response), under: lease)
        } else {
            if sideTokens.count >= 16 { sideTokens = [:] }
            sideTokens[flight.parameters] = storage(response)
            if let refreshToken = response.refreshToken {
                await persist(.rotated(refreshToken: refreshToken), under: lease)
            }
        }
        notify(.renewed)
        guard let storage = storage(response) else { throw Superseded() }
        return Tokens(storage: storage)
    }

    private func fail(
        _ error: AuthStateError, isUnconfirmed: Bool, of request: TokenRequest, _ flight: Flight,
        under lease: any AuthStateLease
    ) async throws -> Tokens {
        let now = service.configuration.clock.now
        switch RenewalClassification(error, grantType: request.grantType) {
        case .reauthenticationRequired:
            // Somebody who holds no lease may have rotated: what they stored is newer than what was refused.
            try await synchronize(with: lease)
            guard record.grantEpoch == flight.epoch else { throw Superseded() }
            if record.refreshToken != request.refreshToken {
                if let tokens = usableTokens(flight.parameters, reason: flight.reason) {
                    return Tokens(storage: tokens)
                }
                throw Superseded()
            }
            var error = error
            if record.unconfirmedRenewal != nil {
                error.message +=
                    " The answer to an earlier renewal was lost on its way; it may have held the new token."
            }
            await persist(.failed(error), under: lease)
            throw error
        case .refusedWithoutReason:
            await persist(.renewalRefused(refreshToken: nil, pausedUntil: now.addingTimeInterval(30)), under: lease)
        case .transient, .configuration, .refusedAnswer:
            if isUnconfirmed { await persist(.renewalUnconfirmed(now), under: lease) }
        }
        throw error
    }

    /// Keeps the refresh token of an answer whose tokens are withheld.
    private func keep(
        refreshToken: String?, after error: AuthStateError, pause: Double, under lease: any AuthStateLease
    ) async throws {
        let now = service.configuration.clock.now
        let event: Event =
            refreshToken == nil && error.code == .malformedResponse
            ? .renewalUnconfirmed(now)
            : .renewalRefused(refreshToken: refreshToken, pausedUntil: now.addingTimeInterval(pause))
        await persist(event, under: lease)
    }

    /// Applies an event and saves it under a lease that is held; a failed save is reported and made up for later.
    private func persist(_ event: Event, under lease: any AuthStateLease) async {
        record = record.applying(event)
        unsaved.append(event)
        do { try await save(under: lease) } catch {
            notify(
                .saveFailed(
                    error as? AuthStateError
                        ?? AuthStateError(
                            .storeUnwritable, stage: .store, "The state could not be saved.", underlying: error)))
        }
        publish()
    }

    /// An access token that has not ended yet, although it is not fresh, when provider or store cannot be reached.
    private func liveTokens(insteadOf error: AuthStateError, _ flight: Flight) -> Tokens? {
        guard flight.reason == .stale, flight.parameters == .none, !record.needsTokenRefresh,
            record.authorizationError == nil,
            error.kind == .transient || error.kind == .store || error.code == .refusedWithoutReason,
            let expiry = record.accessTokenExpirationDate, expiry > service.configuration.clock.now
        else { return nil }
        return storage(record.lastTokenResponse).map(Tokens.init(storage:))
    }

    private func checkPause() throws {
        guard let until = record.renewalPausedUntil else { return }
        let seconds = until.timeIntervalSince(service.configuration.clock.now)
        guard seconds > 0, seconds <= 60 else { return }
        throw AuthStateError(
            .renewalPaused, stage: .refresh, "The last renewal was refused, and it is too early for the next one.",
            hint: "Try again in \(Int(seconds.rounded(.up))) s, or log in again.", retryAfter: seconds)
    }

    static let nothingToRenewWith = AuthStateError(
        .noRefreshToken, stage: .refresh, "The access token has ended, and there is no refresh token to renew it with.",
        hint: "Log in again; ask for the scope offline_access if the provider needs it.")
}
