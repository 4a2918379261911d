import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Sends a request of a renewal, and waits for the answer.
    func redeem(
        _ request: TokenRequest, by instrument: (any RenewalInstrument)?, until deadline: Deadline
    ) async -> AuthorizationService.Redemption {
        let (service, clock) = (service, service.configuration.clock.waiting)
        // An answer that comes at the moment of the deadline has the only refresh token that is still valid.
        let redemption = await redeemOnce(request, by: instrument) {
            try? await withDeadline(deadline.remaining, clock: clock, grace: .seconds(1)) {
                await service.redeem(request)
            }
        }
        if let redemption, !redemption.isCancelled || deadline.remaining > .zero { return redemption }
        let error = AuthStateError(
            .timedOut, stage: request.stage, "The renewal took too long.",
            expected: "an answer within \(options.renewalDeadline)", hint: "Try again later.")
        return .failed(error, isUnconfirmed: true)
    }

    /// Checks the ID token of a renewal; without the provider's keys it is left out, and the last verified one stays.
    func verify(_ response: TokenResponse) async -> Result<TokenResponse, AuthStateError> {
        var response = response
        guard let idToken = response.idToken, let issuer = newest.client.provider.issuer else {
            response.idToken = nil
            return .success(response)
        }
        let provider = newest.client.provider
        do {
            let token = try service.reading { try IDToken(parsing: idToken, stage: .refresh) }
            var expectation = try service.expectation(of: newest.client, issuer: issuer, stage: .refresh)
            expectation.accessToken = response.accessToken
            expectation.previous = try newest.idToken.map { try IDToken(parsing: $0, stage: .refresh) }
            // The ID token before this one may itself be a renewed one, which need not repeat the nonce.
            if expectation.previous != nil { expectation.nonce = newest.lastAuthorizationResponse?.request.nonce }
            expectation.toleratesChangedAudience = newest.client.provider.tolerances.contains(.changedAudience)
            expectation.keepsAuthenticationTime = newest.lastAuthorizationResponse?.request.maxAge != nil
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
            let error = AuthStateError(wrapping: error, stage: .refresh)
            guard error.code != .cancelled, newest.idToken == nil,
                newest.lastAuthorizationResponse?.request.asksNoIdentity == true
            else { return .failure(error) }
            service.configuration.trace?.noteLeniency(.unwantedIDToken, "id_token")
            return .success(response.withoutIDToken)
        }
    }

    /// Revokes tokens that came after a logout; after a login they stay, as some providers would end the new grant too.
    func revoke(_ late: TokenResponse?) async {
        guard let refreshToken = late?.refreshToken, !newest.isAuthorized,
            newest.client.provider.revocationEndpoint != nil
        else { return }
        let request = RevocationRequest(newest.client, token: refreshToken, tokenTypeHint: .refreshToken)
        do { try await service.revoke(request) } catch let error as AuthStateError {
            notify(.renewalFailed(error))
        } catch {}
    }
}

extension AuthorizationService.Redemption {
    fileprivate var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}
