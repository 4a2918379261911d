import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateStorage
import AuthStateTesting

/// A store of several processes: it counts readings, can hold them back or fail them, and reports changes on request.
final class WatchedStore: AuthStateStore {
    var mayBeWrittenByOthers: Bool { false }
    private final class Alarm: AuthStateWatch {
        private let count = Lock<UInt64>(0)
        var generation: UInt64 { count.withLock { $0 } }
        func raise() { count.withLock { $0 += 1 } }
    }

    private struct State {
        var readings = 0
        var failure: AuthStateError?
        var replacement: StoredAuthState?
        var gate: ScriptedTransport.Gate?
    }

    let inner: InMemoryAuthStateStore
    private let alarm: Alarm?
    private let state = Lock(State())

    /// - Parameter tells: Whether the store reports changes; else it has to be read.
    init(_ inner: InMemoryAuthStateStore, tells: Bool = true) {
        self.inner = inner
        alarm = tells ? Alarm() : nil
    }

    /// The number of readings without a lease.
    var readings: Int { state.withLock { $0.readings } }
    /// Reports a change.
    func tell() { alarm?.raise() }
    func failReadings(with error: AuthStateError?) { state.withLock { $0.failure = error } }
    /// Shows these bytes to readings without a lease; nil shows what is stored.
    func show(_ text: String?) {
        let replacement = text.map {
            StoredAuthState(archive: Data($0.utf8), version: .init(rawValue: "shown \($0.utf8.count)"))
        }
        state.withLock { $0.replacement = replacement }
    }
    /// Holds readings without a lease back, after they have read.
    func hold(at gate: ScriptedTransport.Gate?) { state.withLock { $0.gate = gate } }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let now = state.withLock { state in
            state.readings += 1
            return state
        }
        if let failure = now.failure { throw failure }
        let stored = try await inner.load(key)
        try await now.gate?.pass()
        return now.replacement ?? stored
    }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { alarm }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await inner.withLease(key, deadline: deadline, whileWaiting: look, body)
    }
}
