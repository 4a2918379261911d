import AsyncHTTPClientTransport
import ServiceLifecycle

/// Closes the transport's connections at the end.
struct TransportService: Service {
    let transport: AsyncHTTPClientTransport

    func run() async throws {
        try? await gracefulShutdown()
        try await transport.shutdown()
    }
}

/// Waits at the end until no renewal is under way: one that is cut off may have spent a refresh token for nothing.
struct DrainService: Service {
    let states: UserStates

    func run() async throws {
        try? await gracefulShutdown()
        await states.drain()
    }
}
