import AuthStateKit
import Synchronization

/// Counts the changes of the keys that are watched.
///
/// Nothing is heard while there is no connection that listens. The numbers then change by themselves, once a second, so
/// that a state looks for itself; when there is one again, all have changed.
final class ChangeHub: Sendable {
    /// The changes of one key, and how many watch it.
    final class Counter: Sendable {
        let changes = Atomic<UInt64>(0)
        let watches = Atomic<Int>(0)
    }

    private struct State {
        /// How many are running that listen, or try to.
        var listeners = 0
        var counters: [String: Counter] = [:]
    }

    private let state = Mutex(State())
    private let isListening = Atomic(false)
    private let start = ContinuousClock.now

    /// Whether anybody would hear a change.
    var hasListener: Bool { state.withLock { $0.listeners > 0 } }

    /// Notes that somebody began or ceased to listen.
    func changeListeners(by difference: Int) { state.withLock { $0.listeners += difference } }

    /// Notes that changes are heard from now on, or no longer.
    func setListening(_ value: Bool) {
        isListening.store(value, ordering: .sequentiallyConsistent)
        for counter in state.withLock({ Array($0.counters.values) }) { counter.changes.add(1, ordering: .relaxed) }
    }

    /// Counts a change of each key, named as a notification names it.
    func note(_ keys: [String]) {
        for counter in state.withLock({ state in keys.compactMap { state.counters[$0] } }) {
            counter.changes.add(1, ordering: .relaxed)
        }
    }

    /// Begins to count a key's changes.
    func watch(_ key: String) -> PostgresWatch {
        let counter = state.withLock { state in
            let counter = state.counters[key] ?? Counter()
            state.counters[key] = counter
            counter.watches.add(1, ordering: .relaxed)
            return counter
        }
        return PostgresWatch(key: key, counter: counter, hub: self)
    }

    /// Ends what `watch` began.
    func unwatch(_ key: String, _ counter: Counter) {
        state.withLock { state in
            if counter.watches.subtract(1, ordering: .relaxed).newValue == 0 { state.counters[key] = nil }
        }
    }

    /// Zero while changes are heard; else another number every second, far from all counts.
    fileprivate var uncertainty: UInt64 {
        if isListening.load(ordering: .relaxed) { return 0 }
        return 1 << 40 + UInt64(max(0, start.duration(to: .now) / .seconds(1)))
    }
}

/// Tells whether a key was changed, by anybody.
final class PostgresWatch: AuthStateWatch {
    private let key: String
    private let counter: ChangeHub.Counter
    private let hub: ChangeHub

    init(key: String, counter: ChangeHub.Counter, hub: ChangeHub) {
        self.key = key
        self.counter = counter
        self.hub = hub
    }

    deinit { hub.unwatch(key, counter) }

    var generation: UInt64 { counter.changes.load(ordering: .relaxed) &+ hub.uncertainty }
}
