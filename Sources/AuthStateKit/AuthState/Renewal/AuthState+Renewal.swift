import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    func renew(_ flight: Flight) async throws -> Tokens {
        try await flight.step(RenewalStep(.renewal)) {
            do {
                return try await transaction(whileWaiting: { await renewedElsewhere(flight) }) { lease in
                    try await flight.step(RenewalStep(.lease)) {
                        tokens(try await perform(flight, under: lease).get(), of: newest)
                    }
                }
            } catch let error as AuthStateError {
                notify(.renewalFailed(error))
                throw error
            }
        }
    }

    /// Does what a renewal says, step by step.
    private func perform(_ flight: Flight, under lease: any AuthStateLease) async -> Renewal.Outcome {
        var renewal = Renewal(flight.parameters, reason: flight.reason, grantID: flight.grantID, options: options)
        var (input, deadline) = (Renewal.Input.begin, Deadline?.none)
        while true {
            let moment = Renewal.Moment(
                now: clock.now, remaining: deadline?.remaining ?? options.renewalDeadline, jitter: .random(in: 0.5...1))
            var step = Renewal.Step.load
            change { ledger in
                step = renewal.next(input, &ledger, at: moment)
                return renewal.takeEvents()
            }
            input = .done
            do {
                switch step {
                case .load: try await synchronize(with: lease)
                case .save(let isLast):
                    try await flight.step(RenewalStep(.save)) { try await save(under: lease, isLast: isLast) }
                case .reserve: try await lease.reserve()
                case .pause(let duration): try await clock.waiting.sleep(for: duration)
                case .redeem(let request):
                    let ends = deadline ?? Deadline(after: options.renewalDeadline, on: clock.waiting)
                    deadline = ends
                    let asked = stampNow()
                    let answer = await flight.redeem(request, by: service, within: options.renewalDeadline, until: ends)
                    input = .answer(answer, asked: asked)
                case .verify(let response):
                    input = .verified(await service.verify(response, for: newest) { [self] in notify($0) })
                case .finish(let outcome): return outcome
                }
            } catch { input = .failed(error) }
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

extension AuthState.Renewal.Outcome {
    /// Returns the tokens. Throws `Superseded`, or the error of the renewal.
    func get() throws -> TokenResponse {
        switch self {
        case .tokens(let response): return response
        case .superseded(let late): throw AuthState.Superseded(late: late)
        case .failed(let error): throw error
        }
    }
}
