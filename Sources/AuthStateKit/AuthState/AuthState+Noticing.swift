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
        let result = try await look().value()
        if let error = result { throw error }
    }

    /// Adopts what another process stored since the last reading, if there may be a change.
    ///
    /// A reading that fails is reported and changes nothing: the tokens at hand stay usable for as long as before.
    ///
    /// - Throws: `CancellationError`.
    package func notice() async throws {
        // A reading in progress may have read the store too early; one that begins now has not.
        for _ in 0..<2 where !isInSight {
            _ = try await look().value()
        }
    }

    /// Whether the state is the stored one, as far as can be told without reading.
    package nonisolated var isInSight: Bool {
        let now = service.configuration.clock.secondsSince1970
        return published.withLock { $0.freshness.isCurrent(at: now) }
    }

    /// Returns the reading in progress, or begins one; its result is the error of the store, if any.
    private func look() -> SharedResult<AuthStateError?> {
        if let looking = work.looking { return looking }
        let result = SharedResult<AuthStateError?>()
        work.looking = result
        // Detached, as a flight is: it belongs to all callers that wait for it, and the first of them may be cancelled.
        // It ends, because it has a deadline.
        Task.detached { [self] in
            let error = await readStore()
            await endLook()
            result.finish(.success(error))
        }
        return result
    }

    private func endLook() { work.looking = nil }

    private func readStore(tries: Int = 4) async -> AuthStateError? {
        let (store, key, wall) = (store, key, service.configuration.clock)
        let known = published.withLock { $0.freshness }
        let interval = options.storeCheckInterval.inSeconds
        let reading = ledger.reading(at: wall.now)
        // A caller that does not wait for other holders of the lease still waits for the store itself.
        let limit = Duration.seconds(5)
        do {
            let (freshness, stored) = try await withDeadline(limit, clock: service.configuration.clock.waiting) {
                // The watch is read before the store: a change in between is seen twice rather than missed.
                var freshness = known.renewed(at: wall.secondsSince1970)
                if !freshness.isWatching {
                    freshness = StoreFreshness(await store.watch(key), at: wall.secondsSince1970, interval: interval)
                }
                return (freshness, try await store.load(key))
            }
            // What was read or saved under a lease meanwhile may be newer than this, or older.
            guard ledger.isLatest(reading) else { return tries > 1 ? await readStore(tries: tries - 1) : nil }
            published.withLock { $0.freshness = freshness }
            try take(stored, by: reading)
            return nil
        } catch {
            let now = wall.secondsSince1970
            // A store that hangs is not waited for again at once, but soon: it may have another process's logout.
            let pause = error is DeadlineExceeded ? max(interval, limit.inSeconds) : interval
            published.withLock { $0.freshness = known.failed(at: now, retryingAfter: pause) }
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
