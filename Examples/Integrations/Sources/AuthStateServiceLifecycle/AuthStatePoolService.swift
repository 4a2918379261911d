import AuthStateKit
public import AuthStateServer
public import ServiceLifecycle

/// Runs a pool: renews ahead of expiry until the graceful shutdown, then waits for the renewals in progress.
///
/// An interrupted renewal can lose a rotated refresh token. Services end in reverse order: put the transport and the store
/// before the pool, and the HTTP server after it.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [
///         ShutdownService(after: pool) { try await transport.shutdown() }, PostgresStoreService(store),
///         AuthStatePoolService(pool), SweepService(pool, olderThan: .seconds(30 * 86_400)), server,
///     ],
///     gracefulShutdownSignals: [.sigterm], logger: logger)
/// ```
///
/// The wait ends at the latest after the pool's `Options.drainDeadline`: give the group's `maximumGracefulShutdownDuration`
/// no less.
public struct AuthStatePoolService: Service {
    private let pool: AuthStatePool

    /// Makes the service of a pool.
    public init(_ pool: AuthStatePool) { self.pool = pool }

    /// Runs the pool; returns after the graceful shutdown, or when the task is cancelled.
    public func run() async throws { await cancelWhenGracefulShutdown { await pool.run() } }
}
