import AuthStateOAuth
public import AuthStateStorage

extension PostgresAuthStateStore {
    /// Begins to watch a key; nil while `run` does not run: the store is read from time to time then.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? {
        guard hub.isRunning, let hash = try? KeyHash(key) else { return nil }
        return PostgresWatch(hash, by: hub)
    }

    /// Listens for changes until the task is cancelled, on a connection of its own; for a service lifecycle to own.
    ///
    /// Optional: without it a state checks for changes from time to time. When the connection breaks it makes another,
    /// and the watches report that there may have been changes.
    ///
    /// Returns when the task is cancelled.
    ///
    /// - Throws: `AuthStateError` when listening is refused at first, for want of the triggers of `schema` for example. Later it is
    ///   tried again: what is watched is read from time to time meanwhile.
    public func run() async throws {
        do { try await listenUntilCancelled() } catch  where Task.isCancelled {}
    }

    private func listenUntilCancelled() async throws -> Never {
        hub.changeRuns(by: 1)
        defer { hub.changeRuns(by: -1) }
        var backoff = Backoff(first: 0.1, longest: 5)
        var hasListened = false
        while true {
            do {
                try await listen(noting: &hasListened)
                backoff = Backoff(first: 0.1, longest: 5)
            } catch let failure as PostgresFailure {
                guard failure.mayPass || hasListened else { throw failure.error(.reading) }
            }
            try await clock.sleep(for: backoff.next(), tolerance: nil)
        }
    }

    /// Listens until the connection breaks or the task is cancelled.
    private func listen(noting hasListened: inout Bool) async throws {
        let connection = Connection(settings)
        let changes = try await connection.listen()
        hasListened = true
        hub.changeConnections(isOpened: true)
        defer { hub.changeConnections(isOpened: false) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [hub] in
                for try await keys in changes { hub.note(keys) }
            }
            group.addTask { [hub, clock] in
                // A connection whose other end vanished silently looks alive.
                while true {
                    try await clock.sleep(for: .seconds(15), tolerance: .seconds(1))
                    hub.note(try await connection.check())
                }
            }
            _ = try await group.next()
        }
    }
}
