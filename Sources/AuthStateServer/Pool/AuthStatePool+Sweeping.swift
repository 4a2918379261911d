import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
public import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthStatePool {
    /// The result of a sweep.
    public struct SweepOutcome: Sendable, Hashable {
        /// States that were deleted.
        public var deleted = 0
        /// Deleted states whose tokens the provider has revoked.
        public var revoked = 0
        /// States that were saved meanwhile, were gone, or never had a login.
        public var kept = 0
        /// States that could not be swept, or whose tokens could not be revoked.
        public var failures = 0
        /// One of the errors; nil without failures.
        public var error: AuthStateError?
    }

    /// Deletes the states that were not saved for some time, and revokes their tokens at the provider (RFC 7009).
    ///
    /// A state is saved at its login and at each renewal. Take an age that is longer than a session may last: a session
    /// whose token was not renewed for so long is ended, as a logout by another process ends it.
    ///
    /// Each state is checked under its lease, and deleted when nothing was saved since it was listed. A state is kept
    /// for the next sweep when its provider cannot be reached, or when the credential may not be sent to it
    /// (`.credentialWithheld`); every other failure to revoke is counted, and the state is deleted all the same.
    /// What was saved without a login is kept: a `ResourceAccess` remembers so where its clients belong and are registered.
    /// `Options.concurrentRenewals` bounds how many states are swept at once.
    ///
    /// The pool's credential is asked for by the key of the entry, which stands for the state's where the store keeps digests
    /// only, see `AuthStateKey.isDigest`.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` when the store cannot list its states, or when they cannot be
    ///   listed; `CancellationError`, with the states swept so far gone.
    @discardableResult
    public func sweep(olderThan age: Duration) async throws -> SweepOutcome {
        let limit = service.configuration.clock.now.addingTimeInterval(-age.inSeconds)
        let entries = try await store.entries(savedBefore: limit)
        return try await withThrowingTaskGroup(of: SweepOutcome.self) { group in
            var outcome = SweepOutcome()
            for (count, entry) in entries.enumerated() {
                if count >= max(1, options.concurrentRenewals), let next = try await group.next() { outcome.add(next) }
                group.addTask { try await self.sweep(entry) }
            }
            for try await next in group { outcome.add(next) }
            return outcome
        }
    }

    /// Sweeps one state.
    private func sweep(_ entry: AuthStateEntry) async throws -> SweepOutcome {
        try Task.checkCancellation()
        do {
            return try await store.withLease(entry.key, deadline: options.state.leaseDeadline) { lease in
                guard let stored = try await lease.load(), stored.version == entry.version else {
                    return SweepOutcome(kept: 1)
                }
                let record = try place.record(of: stored, credential: credential(entry.key))
                guard TrustCheck.sweptBinding.holds(!record.isClientAlone) else { return SweepOutcome(kept: 1) }
                var outcome = try await revoke(record)
                try await lease.delete(expecting: stored.version)
                outcome.deleted = 1
                return outcome
            }
        } catch let error as AuthStateError {
            return SweepOutcome(failures: 1, error: error)
        }
    }

    /// Revokes the tokens of an abandoned state.
    ///
    /// - Throws: `AuthStateError` of kind `.transient`: the provider may answer the next time; `.credentialWithheld`:
    ///   the program may correct it; `CancellationError`.
    private func revoke(_ record: AuthState.Record) async throws -> SweepOutcome {
        guard record.client.provider.revocationEndpoint != nil,
            record.refreshToken != nil || record.lastTokenResponse != nil
        else { return SweepOutcome() }
        do {
            try await service.revokeTokens(of: record)
            return SweepOutcome(revoked: 1)
        } catch let error as AuthStateError where error.kind != .transient && error.code != .credentialWithheld {
            return SweepOutcome(failures: 1, error: error)
        }
    }
}

extension AuthState.Record {
    /// Whether this is a client, registered or not, without a login that was made or has ended.
    fileprivate var isClientAlone: Bool {
        !isLoggedOut && lastTokenResponse == nil && refreshToken == nil && machineGrant == nil
            && lastAuthorizationResponse == nil && authorizationError == nil
    }
}

extension AuthStatePool.SweepOutcome {
    fileprivate mutating func add(_ other: Self) {
        deleted += other.deleted
        revoked += other.revoked
        kept += other.kept
        failures += other.failures
        error = error ?? other.error
    }
}
