import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthState {
    /// One renewal, however many callers wait for it.
    final class Flight: Sendable {
        /// Why it was started.
        enum Reason: Sendable, Hashable {
            /// The tokens are not fresh.
            case stale
            /// A resource refused this access token.
            case rejected(String)
            /// The caller asked for it.
            case explicit
        }

        let parameters: RenewalParameters
        let reason: Reason
        let epoch: Int
        let result = SharedResult<Tokens>()

        init(_ parameters: RenewalParameters, reason: Reason, epoch: Int) {
            self.parameters = parameters
            self.reason = reason
            self.epoch = epoch
        }
    }

    /// A login, logout or update came in between: whoever waits has to look at the new state.
    struct Superseded: Error {
        /// Tokens that came too late and that nobody will use.
        var late: TokenResponse?
    }

    /// Tokens that are fresh now, renewed when they have to be.
    func tokens(_ parameters: RenewalParameters, reason: Flight.Reason) async throws -> Tokens {
        while true {
            if reason != .explicit, let error = record.authorizationError { throw error }
            if let tokens = usableTokens(parameters, reason: reason) { return Tokens(storage: tokens) }
            let running = flights[parameters]
            notify(.tokensRequested(joined: running != nil))
            let flight = running ?? start(Flight(parameters, reason: reason, epoch: record.grantEpoch))
            do {
                let tokens = try await flight.result.value()
                notify(.tokensDelivered)
                return tokens
            } catch is Superseded {
                continue
            } catch {
                if let error = error as? AuthStateError { notify(.tokensDenied(error)) }
                throw error
            }
        }
    }

    /// The tokens that do without a renewal.
    func usableTokens(_ parameters: RenewalParameters, reason: Flight.Reason) -> Tokens.Storage? {
        guard reason != .explicit, record.authorizationError == nil else { return nil }
        let now = service.configuration.clock.secondsSince1970
        let candidate: Tokens.Storage?
        if parameters == .none {
            candidate = now < record.freshUntil(leeway: options.leeway) ? storage(record.lastTokenResponse) : nil
        } else {
            candidate = sideTokens[parameters].flatMap { now < $0.freshUntil ? $0 : nil }
        }
        if case .rejected(let refused) = reason, candidate?.accessToken == refused { return nil }
        return candidate
    }

    private func start(_ flight: Flight) -> Flight {
        flights[flight.parameters] = flight
        // Detached: it must inherit neither priority nor task-local values nor cancellation of the caller who happens to be
        // first. It is owned by `flights` until it clears its own slot, and it ends: lease and exchange have deadlines.
        Task.detached { [self] in
            let result: Result<Tokens, any Error>
            do { result = .success(try await renew(flight)) } catch { result = .failure(error) }
            await land(flight)
            flight.result.finish(result)
            if case .failure(let error as Superseded) = result { await revoke(error.late) }
        }
        return flight
    }

    private func land(_ flight: Flight) {
        if flights[flight.parameters] === flight { flights[flight.parameters] = nil }
    }

    func storage(_ response: TokenResponse?) -> Tokens.Storage? {
        response.map {
            let published = published.withLock { $0 }
            return Tokens.Storage(
                $0, idToken: record.idToken, scope: record.scope, leeway: options.leeway, policy: published.policy)
        }
    }
}
