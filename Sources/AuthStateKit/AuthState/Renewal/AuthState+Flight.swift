import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// One renewal, however many callers wait for it.
    final class Flight: Sendable {
        /// The reason for a renewal.
        enum Reason: Sendable, Hashable {
            /// The tokens are not fresh.
            case stale
            /// The tokens are not fresh, or not valid for as many seconds as the caller needs.
            case shortLived(Double)
            /// A resource refused this access token.
            case rejected(String)
            /// The caller asked for a renewal.
            case explicit

            /// The time for which the tokens must be valid at least, in seconds; nil when only other tokens will do.
            var validity: Double? {
                switch self {
                case .stale: 0
                case .shortLived(let seconds): seconds
                case .rejected, .explicit: nil
                }
            }
        }

        let parameters: RenewalParameters
        let reason: Reason
        let grantID: String
        let instrument: (any RenewalInstrument)?
        let result = SharedResult<Tokens>()

        init(_ parameters: RenewalParameters, reason: Reason, grantID: String, instrument: (any RenewalInstrument)?) {
            self.parameters = parameters
            self.reason = reason
            self.grantID = grantID
            self.instrument = instrument
        }
    }

    /// The error of a renewal that a login, logout or update overtook: its callers have to look at the new state.
    struct Superseded: Error {
        /// The tokens of an answer that came too late, which no caller gets.
        var late: TokenResponse?
    }

    /// Returns tokens that are fresh now, renewed if necessary.
    ///
    /// Waits outside the actor, so that a thousand callers need no thousand turns there when a renewal ends.
    nonisolated(nonsending) func tokens(_ parameters: RenewalParameters, reason: Flight.Reason) async throws -> Tokens {
        let asked = service.configuration.clock.secondsSince1970
        var hasSeenExpired = false
        while true {
            let flight: Flight
            let isJoined: Bool
            switch try await way(to: parameters, reason) {
            case .atHand(let tokens): return tokens
            case .renewal(let renewal, let isRunning): (flight, isJoined) = (renewal, isRunning)
            }
            do {
                let tokens = try await flight.result.value()
                // A renewal that other callers share may have stopped at tokens that are too short for this caller.
                if isJoined, !tokens.storage.satisfies(reason, askedAt: asked) { continue }
                // Saving them may have taken longer than they last. Checked once: a provider's tokens may never last
                // longer.
                if isJoined, !hasSeenExpired, tokens.storage.hasExpired(by: service.configuration.clock.now) {
                    hasSeenExpired = true
                    continue
                }
                notify(.tokensDelivered)
                return tokens
            } catch is Superseded {
                continue
            } catch let error as AuthStateError {
                do {
                    if let tokens = try await tokens(insteadOf: error, parameters, reason) { return tokens }
                } catch let other as AuthStateError {
                    notify(.tokensDenied(other))
                    throw other
                }
                notify(.tokensDenied(error))
                throw error
            }
        }
    }

    /// Where a caller's tokens come from.
    private enum Way: Sendable {
        case atHand(Tokens)
        /// A renewal, and whether it was running before.
        case renewal(Flight, isRunning: Bool)
    }

    /// Returns the tokens at hand, or the renewal to wait for.
    ///
    /// Reads the published state, not one that is still being saved: no caller gets an access token before the refresh
    /// token that came with it is on disk.
    private func way(to parameters: RenewalParameters, _ reason: Flight.Reason) async throws -> Way {
        // The tokens at hand may be old; a renewal reads the store itself.
        if running(parameters) == nil, atHand(parameters, reason) != nil { try await notice() }
        let running = running(parameters)
        if running == nil, let answer = atHand(parameters, reason) { return .atHand(try answer.get()) }
        notify(.tokensRequested(joined: running != nil))
        return .renewal(running ?? start(parameters, reason), isRunning: running != nil)
    }

    /// Returns tokens for a caller whose renewal failed, or nil when none satisfy the caller: another process may have renewed or
    /// logged in meanwhile, and a renewal that others began may have been for a caller who wants more.
    ///
    /// - Throws: `.notLoggedIn` after a logout by another process; `CancellationError`.
    private func tokens(
        insteadOf error: AuthStateError, _ parameters: RenewalParameters, _ reason: Flight.Reason
    ) async throws -> Tokens? {
        try await notice()
        if let tokens = try? atHand(parameters, reason)?.get() { return tokens }
        return parameters.isNone ? try liveTokens(insteadOf: error, reason) : nil
    }

    /// Returns the tokens that the holder of the lease has stored, when a flight that waits for the lease needs no others.
    func renewedElsewhere(_ flight: Flight) async -> Tokens? {
        _ = try? await reload()
        guard ledger.isSaved, published.withLock({ $0.state }).record.grantID == flight.grantID else { return nil }
        return try? atHand(flight.parameters, flight.reason)?.get()
    }

    /// Returns the renewal of this grant in progress, or nil.
    private func running(_ parameters: RenewalParameters) -> Flight? {
        flights[parameters].flatMap { $0.grantID == newest.grantID ? $0 : nil }
    }

    /// Returns the tokens, or the error that the state is in; nil when a renewal is needed.
    private func atHand(_ parameters: RenewalParameters, _ reason: Flight.Reason) -> Result<Tokens, AuthStateError>? {
        let visible = published.withLock { $0.state }.record
        if reason != .explicit, let error = visible.authorizationError { return .failure(error) }
        return usableTokens(parameters, reason: reason, of: visible).map { .success(Tokens(storage: $0)) }
    }

    /// Returns the tokens that can be used without a renewal; nil when there are none.
    func usableTokens(_ parameters: RenewalParameters, reason: Flight.Reason, of record: Record) -> Tokens.Storage? {
        let now = service.configuration.clock.secondsSince1970
        return ledger.usableTokens(
            parameters, reason: reason, of: record, at: now, leeway: options.leeway.inSeconds
        ).map { storage($0, of: record) }
    }

    /// Returns tokens that are not fresh but have not expired, for use when the provider or the store cannot be
    /// reached, or when the provider refuses without a reason.
    private func liveTokens(insteadOf error: AuthStateError, _ reason: Flight.Reason) throws -> Tokens? {
        let record = published.withLock { $0.state }.record
        if record.isLoggedOut { throw AuthStateError.noUserIsLoggedIn }
        guard let needed = reason.validity, !record.needsTokenRefresh, record.authorizationError == nil,
            error.kind == .transient || error.kind == .store || error.code == .refusedWithoutReason,
            let expiry = record.accessTokenExpirationDate,
            expiry > service.configuration.clock.now.addingTimeInterval(needed)
        else { return nil }
        return storage(of: record).map(Tokens.init(storage:))
    }

    private func start(_ parameters: RenewalParameters, _ reason: Flight.Reason) -> Flight {
        // Here, in the caller's task: a span of the renewal has the caller's span as its parent.
        let flight = Flight(
            parameters, reason: reason, grantID: newest.grantID, instrument: options.instrument?.beginRenewal(of: self))
        work.flights[parameters] = flight
        // Detached: it must inherit neither priority nor task-local values nor cancellation of the first caller. It is
        // owned by `flights` until it clears its own slot, and it ends: lease and exchange have deadlines.
        Task.detached { [self] in
            let result: Result<Tokens, any Error>
            do { result = .success(try await renew(flight)) } catch { result = .failure(error) }
            // Revoked before the callers get the result: `drain()` waits for that, so that no program ends with the
            // late tokens valid.
            if case .failure(let error as Superseded) = result { await revoke(error.late) }
            await land(flight)
            flight.result.finish(result)
        }
        return flight
    }

    private func land(_ flight: Flight) {
        if flights[flight.parameters] === flight { work.flights[flight.parameters] = nil }
    }

    private func storage(of record: Record) -> Tokens.Storage? {
        record.lastTokenResponse.map { storage($0, of: record) }
    }

    nonisolated func storage(_ response: TokenResponse, of record: Record) -> Tokens.Storage {
        Tokens.Storage(response, of: record, options: options, service: service)
    }
}

extension Tokens.Storage {
    /// Returns whether the tokens of a shared renewal are what a caller asked for.
    func satisfies(_ reason: AuthState.Flight.Reason, askedAt asked: Double) -> Bool {
        guard case .shortLived(let seconds) = reason else { return true }
        return lasts(seconds, at: asked) || issuedAt.timeIntervalSince1970 >= asked
    }
}
