import AuthStateFoundation
import AuthStateOAuth
import AuthStateSystem

extension AuthState.Flight {
    /// Runs a step of the renewal within its instrument, if there is one.
    ///
    /// A renewal that was superseded has not failed: the instrument sees it succeed.
    nonisolated(nonsending) func step<R>(
        _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        guard let instrument else { return try await body() }
        let outcome = try await instrument.run(step) { () async throws -> Result<R, AuthState.Superseded> in
            do { return .success(try await body()) } catch let superseded as AuthState.Superseded {
                return .failure(superseded)
            }
        }
        return try outcome.get()
    }

    /// Sends a request, and waits for the answer; the instrument sees a failure as an error.
    nonisolated(nonsending) func redeem(
        _ request: TokenRequest, by service: AuthorizationService, within limit: Duration, until deadline: Deadline
    ) async -> AuthorizationService.Redemption {
        let clock = service.configuration.clock.waiting
        let timedOut = AuthStateError(
            .timedOut, stage: request.stage, "The renewal took too long.",
            expected: "an answer within \(limit)", hint: "Try again later.")
        var redemption: AuthorizationService.Redemption?
        try? await step(RenewalStep(.redeem, grantType: request.grantType)) {
            // An answer that comes at the moment of the deadline has the only refresh token that is still valid.
            redemption = try? await withDeadline(deadline.remaining, clock: clock, grace: .seconds(1)) {
                await service.redeem(request)
            }
            guard let redemption else { throw timedOut }
            _ = try redemption.get()
        }
        if let redemption, !redemption.isCancelled || deadline.remaining > .zero { return redemption }
        return .failed(timedOut, isUnconfirmed: true)
    }
}

extension AuthorizationService {
    /// Checks the ID token of a renewal; without the provider's keys it is left out, and the last verified one stays.
    func verify(
        _ response: TokenResponse, for record: AuthState.Record, notify: @Sendable (AuthStateEvent) -> Void
    ) async -> Result<TokenResponse, AuthStateError> {
        var response = response
        let provider = record.client.provider
        guard let idToken = response.idToken, let issuer = provider.issuer else {
            response.idToken = nil
            return .success(response)
        }
        do {
            let token = try reading { try IDToken(parsing: idToken, stage: .refresh) }
            var expectation = try self.expectation(of: record.client, issuer: issuer, stage: .refresh)
            expectation.accessToken = response.accessToken
            expectation.previous = try record.idToken.map { try IDToken(parsing: $0, stage: .refresh) }
            // The ID token before this one may itself be a renewed one, which need not repeat the nonce.
            if expectation.previous != nil { expectation.nonce = record.lastAuthorizationResponse?.request.nonce }
            expectation.toleratesChangedAudience = provider.tolerances.contains(.changedAudience)
            expectation.keepsAuthenticationTime = record.lastAuthorizationResponse?.request.maxAge != nil
            let verdict = try await self.verdict(
                on: token, expectation: expectation, provider: provider, stage: .refresh)
            try reading { try token.validateClaims(expectation: expectation, stage: .refresh) }
            switch verdict {
            case .good(let trust):
                response.idTokenTrust = trust
                configuration.trace?.noteIDToken(token, trust)
            case .undecided(let error):
                // Keys that cannot be fetched are not a failed check: the token came over TLS from the provider itself.
                notify(.idTokenUnverified(error))
                response.idToken = nil
            }
            return .success(response)
        } catch {
            let error = AuthStateError(wrapping: error, stage: .refresh)
            guard error.code != .cancelled, record.idToken == nil,
                record.lastAuthorizationResponse?.request.asksNoIdentity == true
            else { return .failure(error) }
            configuration.trace?.noteLeniency(.unwantedIDToken, "id_token")
            return .success(response.withoutIDToken)
        }
    }
}

extension AuthorizationService.Redemption {
    fileprivate var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}
