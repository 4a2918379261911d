import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthStatePool {
    /// One reading of the store, however many callers wait for it.
    typealias Load = SharedResult<AuthState>

    /// The error of a load that a login or logout overtook: its callers have to look again.
    private struct Displaced: Error {}

    /// Returns the state of a key that is not in memory, or that was logged out when it was checked last.
    func load(_ key: AuthStateKey) async throws -> AuthState {
        while true {
            let (load, isNew) = contents.withLock { contents -> (Load, Bool) in
                if let load = contents.loads[key] { return (load, false) }
                let load = Load()
                contents.loads[key] = load
                contents.statistics.loads += 1
                return (load, true)
            }
            if isNew { start(load, key) }
            do { return try await load.value() } catch is Displaced {
                if let state = loadedState(for: key) { return state }
            }
        }
    }

    private func start(_ load: Load, _ key: AuthStateKey) {
        // Detached: it must inherit neither priority nor task-local values nor cancellation of the first caller. It is
        // owned by `loads` until it clears its own slot, and it ends when the store has answered.
        Task.detached { [self] in
            do {
                let state = try await read(key)
                land(load, key, with: state)
            } catch {
                drop(load, key)
                load.finish(.failure(error))
            }
            release(key)
        }
    }

    private func read(_ key: AuthStateKey) async throws -> AuthState {
        let state: AuthState
        if let existing = contents.withLock({ $0.table.slot(key)?.state }) {
            // Logged out, and still held by a caller: it stays the one object of this key.
            try await existing.catchUp()
            state = existing
        } else {
            state = try await place.at(key).restored(
                sharing: { record in parts.withLock { $0.share(record) } }, credential: { _ in credential(key) })
        }
        guard state.isGranted else { throw AuthStateError.noUserIsLoggedIn }
        return state
    }

    /// Puts a state that was read into the table, unless a login or a logout came in between.
    private func land(_ load: Load, _ key: AuthStateKey, with state: AuthState) {
        let jitter = jitter()
        // The evicted ones are freed after the lock.
        let (isCurrent, _) = contents.withLock { contents -> (Bool, [AuthState]) in
            guard contents.loads[key] === load else { return (false, []) }
            contents.loads[key] = nil
            return (true, contents.put(state, options, jitter))
        }
        if isCurrent { load.finish(.success(state)) }
    }

    private func drop(_ load: Load, _ key: AuthStateKey) {
        contents.withLock { contents in
            if contents.loads[key] === load { contents.loads[key] = nil }
        }
    }

    /// Makes the callers that wait for a load look again; it is no longer among the loads.
    func displace(_ load: Load) { load.finish(.failure(Displaced())) }

    /// Removes a state without a grant from the table, unless a caller holds it.
    func release(_ key: AuthStateKey) {
        _ = contents.withLock { $0.table.release(key) { !$0.isGranted && $0.isEvictable } }
    }
}

extension AuthStatePool.Contents {
    /// Puts a state into the table and returns the evicted ones.
    mutating func put(_ state: AuthState, _ options: AuthStatePool.Options, _ jitter: Double) -> [AuthState] {
        if table.slot(state.key)?.state !== state { table.insert(state, jitter: jitter) }
        return makeRoom(options)
    }

    mutating func makeRoom(_ options: AuthStatePool.Options) -> [AuthState] {
        let evicted = table.makeRoom(options.capacity) { $0.isEvictable }
        statistics.evictions += evicted.count
        return evicted
    }
}
