import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// The transaction of a keychain store: the last reading, and whether the item is noted as being redeemed.
///
/// Its functions run one after another on threads of the store, and finish even when their task is cancelled.
final class KeychainLease: AuthStateLease {
    private struct State {
        /// The item as it was last read or written.
        var reading: Result<KeychainEntry.Reading, any Error>
        /// Whether the body has not loaded yet: the first load uses the reading that was made when the lease began.
        var isFirst = true
        /// The version that was noted as being redeemed, and not saved since.
        var reserved: StoredAuthState.Version?
        var isOver = false
    }

    /// Whether a process was ended between `reserve` and `save`: the refresh token that it was redeeming may be spent.
    let followsCrash: Bool
    private let entry: KeychainEntry
    private let slot: ChangeCounters.Slot
    private let work: BlockingWork
    /// Held for the whole of each function: only threads that may block wait for it.
    private let state: Lock<State>

    /// Makes a lease from what was read under it.
    init(
        _ entry: KeychainEntry, _ reading: Result<KeychainEntry.Reading, any Error>, _ slot: ChangeCounters.Slot,
        _ work: BlockingWork
    ) {
        followsCrash = (try? reading.get())?.isMarked == true
        (self.entry, self.slot, self.work) = (entry, slot, work)
        state = Lock(State(reading: reading))
    }

    /// Resets an unused note, unless it is also that of a holder that died, then calls `release`; later if a call hangs.
    nonisolated(nonsending) func end(release: @escaping @Sendable () -> Void) async {
        await work.complete(within: KeychainAuthStateStore.leastPatience) {
            self.state.withLock { state in
                if let version = state.reserved, !self.followsCrash { self.entry.release(version) }
                state.isOver = true
            }
            release()
        }
    }

    func load() async throws -> StoredAuthState? {
        try await perform(or: .storeUnreadable) { state in
            if !state.isFirst { state.reading = Result { try self.entry.read() } }
            state.isFirst = false
            return try state.reading.get().stored
        }
    }

    func reserve() async throws {
        try await perform(or: .storeUnwritable) { state in
            let version = try state.reading.get().stored?.version
            try self.entry.reserve(version)
            state.reserved = version
        }
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await change { entry in
            let version = try entry.save(archive, expecting: expecting)
            return (StoredAuthState(archive: archive, version: version), version)
        }
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try await change { (nil, try $0.delete(expecting: expecting)) }
    }

    func discard() async throws { try await change { (nil, try $0.discard()) } }

    /// Changes the item, and keeps what is stored then as the last reading.
    private func change<R: Sendable>(
        _ body: @escaping @Sendable (KeychainEntry) throws -> (StoredAuthState?, R)
    ) async throws -> R {
        try await perform(or: .storeUnwritable, isChange: true) { state in
            // A failed call may have had its effect, or has found that the last reading is outdated.
            defer { ChangeCounters.count(self.slot) }
            state.isFirst = false
            let (stored, result) = try body(self.entry)
            state.reading = .success(KeychainEntry.Reading(stored: stored))
            state.reserved = nil
            return result
        }
    }

    private func perform<R: Sendable>(
        or code: AuthStateError.Code, isChange: Bool = false, _ body: @escaping @Sendable (inout State) throws -> R
    ) async throws -> R {
        try await work.run(
            within: KeychainAuthStateStore.patience, orThrow: .keychainSilent(code, isChange: isChange)
        ) {
            try self.state.withLock { state in
                if state.isOver { throw AuthStateError.leaseEnded() }
                return try body(&state)
            }
        }
    }
}
