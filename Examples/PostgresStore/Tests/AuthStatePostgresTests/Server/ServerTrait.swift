import Testing

/// Starts a server for a suite, or for a test that needs one to itself, and ends it afterwards.
struct ServerTrait: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var running: PostgresServer?

    var hasStandby = false

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = try await PostgresServer.start(hasStandby: hasStandby)
        do {
            try await Self.$running.withValue(server) { try await function() }
        } catch {
            try await server.end()
            throw error
        }
        try await server.end()
    }
}

extension Trait where Self == ServerTrait {
    /// The suite's tests share a server; a test has one to itself.
    static var withServer: Self { Self() }

    /// The server has a standby.
    static var withStandby: Self { Self(hasStandby: true) }
}

extension Trait where Self == ConditionTrait {
    /// Skipped where PostgreSQL is not installed, unless it is required.
    static var wherePostgresIsInstalled: Self {
        .enabled(
            if: PostgresServer.isInstalled || Provider.areRequired,
            "PostgreSQL is not installed: run \(Provider.installer) postgresql")
    }
}

extension PostgresServer {
    /// The server that was started for the current test.
    static var current: PostgresServer {
        get throws { try #require(ServerTrait.running, "the suite starts no server") }
    }
}
