public import AuthStateServer
public import ServiceLifecycle

/// Shuts a resource down when the services after it have ended, for example the connections of an
/// `AsyncHTTPClientTransport`.
///
/// Put it before the services that use the resource, and name the pool whose last renewals need it: a service that fails
/// cancels all others at once, in no order.
public struct ShutdownService: Service {
    private let pool: AuthStatePool?
    private let shutdown: @Sendable () async throws -> Void

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - pool: The pool whose renewals in progress end before, see `AuthStatePool.drain()`.
    ///   - shutdown: Shuts the resource down; runs once, also when the task is cancelled.
    public init(after pool: AuthStatePool? = nil, _ shutdown: @escaping @Sendable () async throws -> Void) {
        (self.pool, self.shutdown) = (pool, shutdown)
    }

    /// Waits for the graceful shutdown, or for the task's cancellation, then for the pool, and shuts the resource down.
    ///
    /// - Throws: The error of the shutdown.
    public func run() async throws {
        // In the graceful order the pool has ended before.
        let isCancelled = (try? await gracefulShutdown()) == nil
        // In a task of its own: a cancelled task must close its connections, too.
        try await Task {
            if isCancelled { await pool?.drain() }
            try await shutdown()
        }.value
    }
}
