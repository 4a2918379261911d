import AuthStateFoundation
import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// One renewal, however many callers wait for it.
    final class Flight: Sendable {
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
            (self.parameters, self.reason, self.grantID) = (parameters, reason, grantID)
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
        let asked = clock.secondsSince1970
        var hasSeenUseless = false
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
                // Saving them may have taken longer than they last, and a resource may have refused them before their own
                // renewal had ended. Checked once: a provider's tokens may never be others.
                if isJoined, !hasSeenUseless,
                    reason == .rejected(tokens.accessToken) && flight.reason != reason
                        || tokens.storage.hasExpired(by: clock.now)
                {
                    hasSeenUseless = true
                    continue
                }
                notify(.tokensDelivered)
                return tokens
            } catch is Superseded {
                continue
            } catch let error as AuthStateError {
                // It may have ended in a pause, which counts for the others alone.
                if isJoined, reason == .explicit, flight.reason != reason, error.retryAfter != nil, !hasSeenUseless {
                    hasSeenUseless = true
                    continue
                }
                do { return try await tokens(insteadOf: error, parameters, reason) } catch let error as AuthStateError {
                    notify(.tokensDenied(error))
                    throw error
                }
            }
        }
    }

    private enum Way: Sendable {
        case atHand(Tokens)
        /// A renewal, and whether it was running before.
        case renewal(Flight, isRunning: Bool)
    }

    /// Returns the tokens at hand, or the renewal to wait for: for most of a thousand callers the one that is shown, without a turn
    /// in the actor. A caller that the tokens serve does not wait for a renewal that another caller asked for.
    private nonisolated(nonsending) func way(
        to parameters: RenewalParameters, _ reason: Flight.Reason
    ) async throws -> Way {
        let now = clock.secondsSince1970
        guard parameters.isNone,
            let running = published.withLock({ $0.state.serves(reason, at: now) ? nil : $0.flight })
        else { return try await decided(parameters, reason) }
        notify(.tokensRequested(joined: true))
        return .renewal(running, isRunning: true)
    }

    /// Returns the tokens at hand, or the renewal to wait for, by what the actor knows.
    ///
    /// Reads what is shown, not what is still being saved: no caller gets an access token before the refresh
    /// token that came with it is on disk.
    private func decided(_ parameters: RenewalParameters, _ reason: Flight.Reason) async throws -> Way {
        // The tokens at hand may be old; a renewal reads the store itself.
        if atHand(parameters, reason) != nil { try await notice() }
        if let answer = atHand(parameters, reason) { return .atHand(try answer.get()) }
        let running = running(parameters)
        notify(.tokensRequested(joined: running != nil))
        return .renewal(running ?? start(parameters, reason), isRunning: running != nil)
    }

    /// Returns tokens for a caller whose renewal failed: another process may have renewed or logged in meanwhile, and a renewal that
    /// others began may have been for a caller who wants more.
    ///
    /// - Throws: The renewal's error when there are none; `.notLoggedIn` after a logout by another process; `CancellationError`.
    private func tokens(
        insteadOf error: AuthStateError, _ parameters: RenewalParameters, _ reason: Flight.Reason
    ) async throws -> Tokens {
        try await notice()
        if let tokens = usable(parameters, reason) { return tokens }
        let record = ledger.shown.value
        // Once for each refusal of a refresh token, and not for the pause after it.
        if error.code == .invalidTarget, error.response?.code != .invalidTarget, error.retryAfter == nil {
            try await checkGrant(record)
        }
        guard parameters.isNone, let live = try record.liveTokens(insteadOf: error, reason, at: clock.now) else {
            throw error
        }
        return tokens(live, of: record)
    }

    /// Renews the default tokens that are not fresh, or older than ten minutes: the refresh token may be dead, of which a caller that
    /// only asks with parameters would never learn.
    ///
    /// - Throws: `AuthStateError`, when a user has to log in; `CancellationError`.
    private func checkGrant(_ record: Record) async throws {
        let age = record.lastTokenResponse.map { clock.now.timeIntervalSince($0.issuedAt) } ?? .infinity
        let isRecent = (0..<600).contains(age)
        do {
            _ = try await tokens(.none, reason: isRecent ? .stale : record.accessToken.map { .rejected($0) } ?? .stale)
        } catch let error as AuthStateError where error.kind != .reauthenticationRequired {}
    }

    /// Returns the tokens that the holder of the lease has stored, when a flight that waits for the lease needs no others.
    func renewedElsewhere(_ flight: Flight) async -> Tokens? {
        _ = try? await reload()
        guard ledger.isSaved, ledger.shown.value.grantID == flight.grantID else { return nil }
        return usable(flight.parameters, flight.reason)
    }

    private func running(_ parameters: RenewalParameters) -> Flight? {
        flights[parameters].flatMap { $0.grantID == newest.grantID ? $0 : nil }
    }

    /// Shows the renewal that callers may join; called when another one begins, or one ends, and when the grant changes.
    func showFlight() {
        let flight = running(.none)
        published.withLock { $0.flight = flight }
    }

    /// Returns the tokens, or the error that the state is in; nil when a renewal is needed.
    ///
    /// A renewal in progress may end the error, and a caller that needs other tokens waits for it.
    private func atHand(_ parameters: RenewalParameters, _ reason: Flight.Reason) -> Result<Tokens, AuthStateError>? {
        if running(parameters) == nil {
            if reason != .explicit, let error = ledger.shown.value.authorizationError { return .failure(error) }
        } else if reason.validity == nil {
            return nil
        }
        return usable(parameters, reason).map { .success($0) }
    }

    /// Returns the tokens that can be used without a renewal; nil when there are none.
    func usable(_ parameters: RenewalParameters, _ reason: Flight.Reason) -> Tokens? {
        let record = ledger.shown.value
        return ledger.usableTokens(
            parameters, reason: reason, of: record, at: clock.secondsSince1970, leeway: options.leeway.inSeconds
        ).map { tokens($0, of: record) }
    }

    private func start(_ parameters: RenewalParameters, _ reason: Flight.Reason) -> Flight {
        // Here, in the caller's task: a span of the renewal has the caller's span as its parent.
        let flight = Flight(
            parameters, reason: reason, grantID: newest.grantID, instrument: options.instrument?.beginRenewal(of: self))
        if let overtaken = flights[parameters] { work.overtaken.append(overtaken) }
        work.flights[parameters] = flight
        showFlight()
        // Detached: it must inherit neither priority nor task-local values nor cancellation of the first caller. It is
        // owned by `work` until it clears its own slot, and it ends: lease and exchange have deadlines.
        Task.detached { [self] in flight.result.finish(await outcome(of: flight)) }
        return flight
    }

    private func outcome(of flight: Flight) async -> Result<Tokens, any Error> {
        defer {
            if flights[flight.parameters] === flight { work.flights[flight.parameters] = nil }
            work.overtaken.removeAll { $0 === flight }
            showFlight()
        }
        do { return .success(try await renew(flight)) } catch {
            // Revoked before the callers get the result: `drain()` waits for that, so that no program ends with the
            // late tokens valid.
            if let superseded = error as? Superseded { await revoke(superseded.late) }
            return .failure(error)
        }
    }

    nonisolated func tokens(_ response: TokenResponse, of record: Record) -> Tokens {
        Tokens(storage: Tokens.Storage(response, of: record, options: options, service: service))
    }
}

extension AuthState.Published {
    /// Returns whether a caller can use the tokens without a renewal.
    fileprivate func serves(_ reason: AuthState.Flight.Reason, at now: Double) -> Bool {
        guard let validity = reason.validity, now < freshUntil else { return false }
        return tokens?.lasts(validity, at: now) == true
    }
}

extension Tokens.Storage {
    /// Returns whether the tokens of a shared renewal are what a caller asked for.
    func satisfies(_ reason: AuthState.Flight.Reason, askedAt asked: Double) -> Bool {
        guard case .shortLived(let seconds) = reason else { return true }
        return lasts(seconds, at: asked) || issuedAt.timeIntervalSince1970 >= asked
    }
}
