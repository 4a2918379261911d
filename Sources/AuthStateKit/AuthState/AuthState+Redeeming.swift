import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Sends a renewal; repeats it only where that cannot spend a token twice, or where the provider allows that.
    ///
    /// - Returns: The outcome, and when the request that it belongs to was sent.
    func redeem(
        _ request: TokenRequest, _ flight: Flight, under lease: any AuthStateLease
    ) async -> (AuthorizationService.Redemption, asked: Stamp) {
        let clock = service.configuration.waitingClock
        let deadline = Deadline(after: options.renewalDeadline, on: clock)
        let service = service
        let hasGrace = request.client.provider.tolerances.contains(.refreshTokenGrace)
        var (attempt, isAskedAgain, asked) = (0, false, stampNow())
        while true {
            // An answer that comes at the moment of the deadline has the only refresh token that is still valid.
            let redemption = await redeemOnce(request, by: flight.instrument) {
                try? await withDeadline(deadline.remaining, clock: clock, grace: .seconds(1)) {
                    await service.redeem(request)
                }
            }
            guard let redemption, !redemption.isCancelled || deadline.remaining > .zero else {
                let error = AuthStateError(
                    .timedOut, stage: request.stage, "The renewal took too long.",
                    expected: "an answer within \(options.renewalDeadline)", hint: "Try again later.")
                return (.failed(error, isUnconfirmed: true), asked)
            }
            guard case .failed(let error, let isUnconfirmed) = redemption else { return (redemption, asked) }
            if isUnconfirmed, hasGrace, !isAskedAgain, error.retryAfter == nil, request.grantType == .refreshToken {
                isAskedAgain = true
                await persist(.renewalUnconfirmed, under: lease)
                guard record.grantID == flight.grantID, await mayGoOn(until: deadline, under: lease) else {
                    return (redemption, asked)
                }
                asked = stampNow()
                continue
            }
            guard attempt < options.renewalRetries,
                RenewalClassification.isSafeToRepeat(error, isUnconfirmed: isUnconfirmed)
            else { return (redemption, asked) }
            // Jitter keeps many clients from coming back at the same moment.
            let pause = error.retryAfter ?? .seconds(0.25 * Double(1 << attempt) * .random(in: 0.5...1))
            guard pause + .seconds(1) < deadline.remaining else { return (redemption, asked) }
            do { try await clock.sleep(for: pause) } catch { return (redemption, asked) }
            guard await mayGoOn(until: deadline, under: lease) else { return (redemption, asked) }
            attempt += 1
        }
    }

    /// Returns whether another request may be sent: the machine may have slept until no time is left to wait for an answer, and
    /// another process may have acquired the lease meanwhile.
    private func mayGoOn(until deadline: Deadline, under lease: any AuthStateLease) async -> Bool {
        guard deadline.remaining > .seconds(1) else { return false }
        do { try await lease.reserve() } catch { return false }
        return true
    }

    /// Checks the ID token of a renewal; without the provider's keys it is left out, and the last verified one stays.
    func verify(_ response: TokenResponse) async -> Result<TokenResponse, AuthStateError> {
        var response = response
        guard let idToken = response.idToken, let issuer = record.client.provider.issuer else {
            response.idToken = nil
            return .success(response)
        }
        let provider = record.client.provider
        do {
            let token = try service.reading { try IDToken(parsing: idToken, stage: .refresh) }
            var expectation = try service.expectation(of: record.client, issuer: issuer, stage: .refresh)
            expectation.accessToken = response.accessToken
            expectation.previous = try record.idToken.map { try IDToken(parsing: $0, stage: .refresh) }
            // The ID token before this one may itself be a renewed one, which need not repeat the nonce.
            if expectation.previous != nil { expectation.nonce = record.lastAuthorizationResponse?.request.nonce }
            expectation.keepsAuthenticationTime = record.lastAuthorizationResponse?.request.maxAge != nil
            let verdict = try await service.verdict(
                on: token, expectation: expectation, provider: provider, stage: .refresh)
            try service.reading { try token.validateClaims(expectation: expectation, stage: .refresh) }
            switch verdict {
            case .good(let trust):
                response.idTokenTrust = trust
                service.configuration.trace?.noteIDToken(token, trust)
            case .undecided(let error):
                // Keys that cannot be fetched are not a failed check: the token came over TLS from the provider itself.
                notify(.idTokenUnverified(error))
                response.idToken = nil
            }
            return .success(response)
        } catch {
            return .failure(AuthStateError(wrapping: error, stage: .refresh))
        }
    }

    /// Revokes tokens that came after a logout; after a login they stay, as some providers would end the new grant too.
    func revoke(_ late: TokenResponse?) async {
        guard let refreshToken = late?.refreshToken, !record.isAuthorized,
            record.client.provider.revocationEndpoint != nil
        else { return }
        let request = RevocationRequest(record.client, token: refreshToken, tokenTypeHint: .refreshToken)
        do { try await service.revoke(request) } catch let error as AuthStateError {
            notify(.renewalFailed(error))
        } catch {}
    }
}

extension AuthorizationService.Redemption {
    fileprivate var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}
