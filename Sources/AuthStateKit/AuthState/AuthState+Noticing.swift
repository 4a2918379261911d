import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Reads the store now and adopts what another process stored: merges it with this state. The next use of the
    /// tokens does the same.
    ///
    /// For a state that is shown without being used, for example to show whether a user is logged in.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the store cannot be read; the state is then unchanged.
    ///   `CancellationError`.
    public func reload() async throws {
        if let error = try await look().value() { throw error }
    }

    /// Adopts what another process stored since the last reading, if there may be a change.
    ///
    /// A reading that fails is reported and changes nothing: the tokens at hand stay usable for as long as before.
    /// Throws `CancellationError`.
    package func notice() async throws {
        // A reading in progress may have read the store too early; one that begins now has not.
        for _ in 0..<2 where !isInSight {
            _ = try await look().value()
        }
    }

    /// Whether the state is the stored one, as far as can be told without reading.
    package nonisolated var isInSight: Bool {
        let now = clock.secondsSince1970
        return published.withLock { $0.freshness.isCurrent(at: now) }
    }

    /// Returns the reading in progress, or begins one; its result is the error of the store, if any.
    private func look() -> SharedResult<AuthStateError?> {
        if let looking = work.looking { return looking }
        let result = SharedResult<AuthStateError?>()
        work.looking = result
        // Detached, as a flight is: it belongs to all callers that wait for it, and the first of them may be cancelled.
        // It ends, because it has a deadline.
        Task.detached { [self] in result.finish(.success(await readStore())) }
        return result
    }

    private func readStore() async -> AuthStateError? {
        defer { work.looking = nil }
        var known = published.withLock { $0.freshness }
        // A caller that does not wait for other holders of the lease still waits for the store itself.
        let limit = Duration.seconds(5)
        do {
            // What was read or saved under a lease meanwhile may be newer than what is found, or older.
            for _ in 0..<4 {
                known = published.withLock { $0.freshness }
                let reading = ledger.reading(at: clock.now)
                let (freshness, stored) = try await withDeadline(limit, clock: clock.waiting) {
                    [environment, key, known] in
                    // The watch is read before the store: a change in between is seen twice rather than missed.
                    let freshness =
                        known.isWatching
                        ? known.renewed(at: environment.service.configuration.clock.secondsSince1970)
                        : environment.freshness(await environment.store.watch(key))
                    return (freshness, try await environment.store.load(key))
                }
                guard ledger.isLatest(reading) else { continue }
                published.withLock { $0.freshness = freshness }
                try take(stored, by: reading)
                break
            }
            return nil
        } catch {
            // A store that hangs is not waited for again at once, but soon: it may have another process's logout.
            let interval = options.storeCheckInterval.inSeconds
            let pause = error is DeadlineExceeded ? max(interval, limit.inSeconds) : interval
            let freshness = known.failed(at: clock.secondsSince1970, retryingAfter: pause)
            published.withLock { $0.freshness = freshness }
            let failure =
                error as? AuthStateError
                ?? AuthStateError(
                    .storeUnreadable, stage: .store, "The stored state could not be read.",
                    hint: "The state in memory is used as before.", underlying: error)
            notify(.readFailed(failure))
            return failure
        }
    }
}
