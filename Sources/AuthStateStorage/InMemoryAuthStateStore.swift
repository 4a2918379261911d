public import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
public import AuthStateSystem

/// Keeps states for as long as the process lives: for tests, and for programs that log in anew each time.
public final class InMemoryAuthStateStore: AuthStateStore {
    private let clock: WallClock
    private let queue = WaitingLine<String>()
    private let contents = Lock(Contents())

    /// Makes an empty store.
    ///
    /// - Parameter clock: Gives the time at which a state is saved, and measures the deadlines of leases.
    public init(clock: WallClock = .system) { self.clock = clock }

    /// Returns the number of waiters for the lease of a key.
    func waiterCount(_ key: AuthStateKey) -> Int { queue.waiterCount(key.rawValue) }

    /// False: no other process has this memory.
    public var mayBeWrittenByOthers: Bool { false }

    /// This process's memory.
    public func location(of key: AuthStateKey) -> String { "the memory of this process, under \(key.inWords)" }

    /// Reads a state; nil when there is none under the key. Never throws.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? { contents.withLock { $0.states[key] } }

    /// Lists the states that were saved last before a moment. Never throws.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        contents.withLock { contents in
            contents.states.compactMap { key, stored in
                guard let time = contents.times[key], time < date else { return nil }
                return AuthStateEntry(key: key, savedAt: time, version: stored.version)
            }
        }
    }

    /// Runs a transaction under a lease that excludes every other holder of the key; waiters take turns in order.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - deadline: The time to wait for another holder; after it, `.storeLocked` is thrown.
    ///   - look: Not called.
    ///   - body: The transaction. It runs in the caller's isolation; the lease is released when it returns or throws.
    /// - Throws: `AuthStateError` with `.storeLocked` at the deadline; `CancellationError` when cancelled while
    ///   waiting; the body's errors.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let name = key.rawValue
        try await queue.enter(
            name, until: Deadline(after: deadline, on: clock.waiting), orThrow: AuthStateError.storeLocked(name))
        defer { queue.leave(name) }
        let lease = MemoryLease(store: self, key: key)
        defer { lease.end() }
        return try await body(lease)
    }

    /// Begins to watch a key: every change of it shows at once.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { MemoryWatch(slot: slot(of: key)) }

    private func slot(of key: AuthStateKey) -> ChangeCounters.Slot {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(self))
        hasher.combine(key)
        return ChangeCounters.Slot(hasher)
    }
}

extension InMemoryAuthStateStore {
    private struct Contents {
        var states: [AuthStateKey: StoredAuthState] = [:]
        /// The time at which each was saved.
        var times: [AuthStateKey: Date] = [:]
        /// Counts over all keys, so that no version ever comes back.
        var lastVersion = 0
    }

    private final class MemoryWatch: AuthStateWatch {
        private let slot: ChangeCounters.Slot
        init(slot: ChangeCounters.Slot) { self.slot = slot }
        var generation: UInt64 { ChangeCounters.generation(of: slot) }
    }

    private final class MemoryLease: AuthStateLease {
        private let store: InMemoryAuthStateStore
        private let key: AuthStateKey
        private let isOver = Lock(false)

        init(store: InMemoryAuthStateStore, key: AuthStateKey) { (self.store, self.key) = (store, key) }

        func end() { isOver.withLock { $0 = true } }

        func load() async throws -> StoredAuthState? { try access { $0.states[key] } }

        func reserve() async throws { try access { _ in } }

        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            defer { countChange() }
            return try access { contents in
                try StoredAuthState.Version.check(contents.states[key]?.version, isExpected: expecting)
                contents.lastVersion += 1
                let version = StoredAuthState.Version(rawValue: String(contents.lastVersion))
                contents.states[key] = StoredAuthState(archive: archive, version: version)
                contents.times[key] = store.clock.now
                return version
            }
        }

        func delete(expecting: StoredAuthState.Version?) async throws {
            defer { countChange() }
            try access { contents in
                guard let stored = contents.states[key] else { return }
                try StoredAuthState.Version.check(stored.version, isExpected: expecting)
                contents.states[key] = nil
                contents.times[key] = nil
            }
        }

        private func countChange() { ChangeCounters.count(store.slot(of: key)) }

        private func access<R: Sendable>(_ body: (inout Contents) throws -> R) throws -> R {
            if isOver.withLock({ $0 }) { throw AuthStateError.leaseEnded() }
            return try store.contents.withLock(body)
        }
    }
}
