public import AuthStatePostgres
public import ServiceLifecycle

/// Runs a PostgreSQL store: listens for the changes of other servers until the graceful shutdown.
public struct PostgresStoreService: Service {
    private let listen: @Sendable () async throws -> Void

    /// Makes the service of a store.
    public init(_ store: PostgresAuthStateStore) { self.init { try await store.run() } }

    init(listen: @escaping @Sendable () async throws -> Void) { self.listen = listen }

    /// Listens; returns after the graceful shutdown, or when the task is cancelled.
    ///
    /// - Throws: `AuthStateError` when listening is refused, see `PostgresAuthStateStore.run()`.
    public func run() async throws { try await cancelWhenGracefulShutdown(listen) }
}
