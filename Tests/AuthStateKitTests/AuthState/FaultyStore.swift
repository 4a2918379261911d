import AuthStateFoundation
import AuthStateJOSE
import AuthStateStorage
import AuthStateTesting

@testable import AuthStateKit

/// A store whose operations can be made to fail, and that records them in order.
final class FaultyStore: AuthStateStore {
    var mayBeWrittenByOthers: Bool { false }
    enum Operation: Sendable, Hashable { case load, reserve, save, delete }
    /// Where an operation under a lease can be held: before it, but a save also when it has written.
    enum Step: Sendable, Hashable { case load, save, written, delete }
    let inner = InMemoryAuthStateStore()
    private let state = Lock<(log: [Operation], failing: Set<Operation>)>(([], []))
    private let once = Lock<Set<Operation>>([])
    private let overlay = Lock<StoredAuthState?>(nil)
    private let gates = Lock<[Step: ScriptedTransport.Gate]>([:])
    private let crash = Lock(false)
    private let afterSaving = Lock<Set<Operation>?>(nil)
    private let code = Lock(AuthStateError.Code.storeUnwritable)

    /// Holds operations at this gate; nil lets them pass.
    func hold(_ step: Step, at gate: ScriptedTransport.Gate?) { gates.withLock { $0[step] = gate } }
    /// Tells the next holders of the lease that an earlier holder died.
    func setAfterCrash(_ isAfterCrash: Bool) { crash.withLock { $0 = isAfterCrash } }

    /// Shows other contents from now on, as a writer without a lease would leave them.
    func overwrite(_ archive: Data) {
        overlay.withLock { $0 = StoredAuthState(archive: archive, version: .init(rawValue: "foreign")) }
    }

    var log: [Operation] { state.withLock { $0.log } }
    func fail(_ operations: Operation...) { state.withLock { $0.failing = Set(operations) } }
    /// Makes the next operation of this kind fail, and only that one.
    func failOnce(_ operation: Operation) { once.withLock { _ = $0.insert(operation) } }
    func setCode(_ code: AuthStateError.Code) { self.code.withLock { $0 = code } }
    /// Makes one save fail after it has written, as a disk can, or a database whose answer is lost.
    ///
    /// - Parameter thenLoads: Whether readings under the lease fail from then on, until `fail()` ends that.
    func failAfterSaving(thenLoads: Bool = false) { afterSaving.withLock { $0 = thenLoads ? [.load] : [] } }
    fileprivate func note(_ operation: Operation) throws {
        let fails = state.withLock { state in
            state.log.append(operation)
            return state.failing.contains(operation)
        }
        if once.withLock({ $0.remove(operation) != nil }) || fails {
            throw AuthStateError(code.withLock { $0 }, stage: .store, "disk full")
        }
    }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await inner.load(key) }
    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await inner.withLease(key, deadline: deadline) { try await body(Lease(inner: $0, store: self)) }
    }

    private struct Lease: AuthStateLease {
        let inner: any AuthStateLease
        let store: FaultyStore
        var followsCrash: Bool { store.crash.withLock { $0 } }
        func load() async throws -> StoredAuthState? {
            try store.note(.load)
            try await store.gates.withLock { $0[.load] }?.pass()
            if let foreign = store.overlay.withLock({ $0 }) { return foreign }
            return try await inner.load()
        }
        func reserve() async throws {
            try store.note(.reserve)
            try await inner.reserve()
        }
        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try store.note(.save)
            try await store.gates.withLock { $0[.save] }?.pass()
            let version = try await inner.save(archive, expecting: expecting)
            try await store.gates.withLock { $0[.written] }?.pass()
            guard let failing = store.afterSaving.withLock({ $0.take() }) else { return version }
            store.state.withLock { $0.failing.formUnion(failing) }
            throw AuthStateError(.storeUnwritable, stage: .store, "disk failed")
        }
        func delete(expecting: StoredAuthState.Version?) async throws {
            try store.note(.delete)
            try await store.gates.withLock { $0[.delete] }?.pass()
            try await inner.delete(expecting: expecting)
        }
        func discard() async throws {
            try store.note(.delete)
            try await inner.discard()
        }
    }
}
