public import ServiceLifecycle

/// Shuts a resource down when the services after it have ended, for example the connections of an
/// `AsyncHTTPClientTransport`.
///
/// Put it before the services that use the resource: a pool's last renewals need the transport.
public struct ShutdownService: Service {
    private let shutdown: @Sendable () async throws -> Void

    /// Makes the service.
    ///
    /// - Parameter shutdown: Shuts the resource down; runs once, also when the task is cancelled.
    public init(_ shutdown: @escaping @Sendable () async throws -> Void) { self.shutdown = shutdown }

    /// Waits for the graceful shutdown, or for the task's cancellation, then shuts the resource down.
    ///
    /// - Throws: The error of the shutdown.
    public func run() async throws {
        try? await gracefulShutdown()
        // In a task of its own: a cancelled task must close its connections, too.
        try await Task { try await shutdown() }.value
    }
}
