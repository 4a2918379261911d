import AsyncHTTPClientTransport
import AuthStateKit
import ServiceLifecycle

/// Closes the transport's connections at the end.
struct TransportService: Service {
    let transport: AsyncHTTPClientTransport

    func run() async throws {
        try? await gracefulShutdown()
        try await transport.shutdown()
    }
}

/// Renews ahead of expiry while the server runs, and at its end waits for renewals in progress.
///
/// An interrupted renewal may lose a rotated refresh token.
struct PoolService: Service {
    let pool: AuthStatePool

    func run() async throws {
        await cancelWhenGracefulShutdown { await pool.run() }
    }
}

/// Ends abandoned sessions, once an hour.
struct SweepService: Service {
    let sessions: Sessions

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                while true {
                    await sessions.sweep()
                    try await Task.sleep(for: .seconds(3600))
                }
            }
        } catch is CancellationError {}
    }
}
