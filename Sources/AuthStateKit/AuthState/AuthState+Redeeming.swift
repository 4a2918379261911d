import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthState {
    /// Sends a renewal; repeats it only where that cannot spend a token twice.
    func redeem(_ request: TokenRequest) async -> AuthorizationService.Redemption {
        let clock = service.configuration.clock
        let deadline = clock.secondsSince1970 + options.renewalDeadline.inSeconds
        let (service, credential) = (service, record.credential)
        var attempt = 0
        while true {
            let remaining = deadline - clock.secondsSince1970
            let redemption: AuthorizationService.Redemption
            do {
                redemption = try await withDeadline(
                    .seconds(max(0, remaining)), clock: service.configuration.waitingClock
                ) {
                    await service.redeem(request, credential: credential)
                }
            } catch {
                return .failed(
                    AuthStateError(
                        .timedOut, stage: request.stage, "The renewal took too long.",
                        expected: "an answer within \(options.renewalDeadline)", hint: "Try again later."),
                    isUnconfirmed: true)
            }
            guard case .failed(let error, let isUnconfirmed) = redemption, attempt < options.renewalRetries,
                RenewalClassification.isSafeToRepeat(error, isUnconfirmed: isUnconfirmed)
            else { return redemption }
            // Jitter keeps many clients from coming back at the same moment.
            let pause = error.retryAfter ?? 0.25 * Double(1 << attempt) * .random(in: 0.5...1)
            guard pause < deadline - clock.secondsSince1970 - 1 else { return redemption }
            do { try await service.configuration.waitingClock.sleep(for: .seconds(pause)) } catch { return redemption }
            attempt += 1
        }
    }

    /// Checks the ID token of a renewal; without the provider's keys it is left out, and the last verified one stays.
    func verify(_ response: TokenResponse) async throws -> TokenResponse {
        guard let idToken = response.idToken, let issuer = record.configuration.issuer else { return response }
        var expectation = service.expectation(issuer: issuer, clientID: record.clientID)
        expectation.accessToken = response.accessToken
        expectation.previous = try record.idToken.map { try IDToken(parsing: $0, stage: .refresh) }
        // The ID token before this one may itself be a renewed one, which need not repeat the nonce.
        if expectation.previous != nil { expectation.nonce = record.lastAuthorizationResponse?.request.nonce }
        do {
            try await service.validate(
                idToken, expectation: expectation, service: record.configuration, stage: .refresh)
            return response
        } catch let error as AuthStateError where error.kind == .transient {
            try IDToken(parsing: idToken, stage: .refresh).validateClaims(expectation: expectation, stage: .refresh)
            notify(.idTokenUnverified(error))
            var unverified = response
            unverified.idToken = nil
            return unverified
        }
    }

    /// Revokes tokens that came after a logout; after a login they stay, as some providers would end the new grant too.
    func revoke(_ late: TokenResponse?) async {
        guard let refreshToken = late?.refreshToken, !record.isAuthorized,
            record.configuration.revocationEndpoint != nil
        else { return }
        let request = RevocationRequest(
            configuration: record.configuration, clientID: record.clientID, token: refreshToken,
            tokenTypeHint: .refreshToken)
        do { try await service.revoke(request, credential: record.credential) } catch let error as AuthStateError {
            notify(.renewalFailed(error))
        } catch {}
    }
}

extension Duration {
    /// Seconds with their fraction.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
