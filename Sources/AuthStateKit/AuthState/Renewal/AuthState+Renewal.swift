import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Renews in one transaction.
    func renew(_ flight: Flight) async throws -> Tokens {
        try await step(RenewalStep(.renewal), by: flight.instrument) {
            do {
                return try await transaction(whileWaiting: { await $0.renewedElsewhere(flight) }) { state, lease in
                    try await state.renew(flight, under: lease)
                }
            } catch let error as AuthStateError {
                notify(.renewalFailed(error))
                throw error
            }
        }
    }

    private func renew(_ flight: Flight, under lease: any AuthStateLease) async throws -> Tokens {
        let lease = flight.instrument.map { InstrumentedLease(base: lease, instrument: $0) } ?? lease
        return try await step(RenewalStep(.lease), by: flight.instrument) {
            let outcome = await perform(
                Renewal(flight.parameters, reason: flight.reason, grantID: flight.grantID, options: options), flight,
                under: lease)
            switch outcome {
            case .tokens(let response): return Tokens(storage: storage(response, of: newest))
            case .superseded(let late): throw Superseded(late: late)
            case .failed(let error): throw error
            }
        }
    }

    /// Does what a renewal says, step by step.
    private func perform(
        _ renewal: Renewal, _ flight: Flight, under lease: any AuthStateLease
    ) async -> Renewal.Outcome {
        let clock = service.configuration.clock.waiting
        var (renewal, input, deadline) = (renewal, Renewal.Input.begin, Deadline?.none)
        while true {
            let moment = Renewal.Moment(
                now: service.configuration.clock.now, remaining: deadline?.remaining ?? options.renewalDeadline,
                jitter: .random(in: 0.5...1))
            switch next(&renewal, input, at: moment) {
            case .load: input = await outcome { try await synchronize(with: lease) }
            case .save(let isLast): input = await outcome { try await save(under: lease, isLast: isLast) }
            case .reserve: input = await outcome { try await lease.reserve() }
            case .pause(let duration): input = await outcome { try await clock.sleep(for: duration) }
            case .redeem(let request):
                let ends = deadline ?? Deadline(after: options.renewalDeadline, on: clock)
                deadline = ends
                let asked = stampNow()
                input = .answer(await redeem(request, by: flight.instrument, until: ends), asked: asked)
            case .verify(let response): input = .verified(await verify(response))
            case .finish(let outcome): return outcome
            }
        }
    }

    private func next(_ renewal: inout Renewal, _ input: Renewal.Input, at moment: Renewal.Moment) -> Renewal.Step {
        var step = Renewal.Step.load
        change { ledger in
            step = renewal.next(input, &ledger, at: moment)
            return renewal.takeEvents()
        }
        return step
    }

    /// Does a step that succeeds or fails.
    private func outcome<R>(of step: () async throws -> R) async -> Renewal.Input {
        do {
            _ = try await step()
            return .done
        } catch { return .failed(error) }
    }
}
