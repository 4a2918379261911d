import AuthStateKit
import AuthStateLogging
import AuthStateTesting
import Foundation
import InMemoryLogging
import Logging
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoggingObserverTests {
    /// A state whose access token has expired, and its log.
    private struct World {
        let provider: OpenIDProvider
        let state: AuthState
        let log: InMemoryLogHandler

        init() async throws {
            provider = try await OpenIDProvider()
            let handler = InMemoryLogHandler()
            log = handler
            var logger = Logger(label: "observer") { _ in handler }
            logger.logLevel = .trace
            let service = AuthorizationService()
            let configuration = try await service.discoverConfiguration(issuer: provider.issuer)
            var options = AuthState.Options()
            options.observer = LoggingObserver(logger: logger)
            state = try await AuthState.logIn(
                .browser(AuthorizationRequest(Client(configuration, id: "app")), DirectUserAgent()),
                at: AuthState.Place(
                    InMemoryAuthStateStore(), key: "a key that is longer than sixteen", service: service,
                    options: options))
        }

        var messages: [String] { log.entries.map { "\($0.level) \($0.message)" } }
    }

    @Test("a renewal is told from its beginning to its end, without a token in it")
    func renewal() async throws {
        let world = try await World()
        world.log.clear()
        let secrets = [world.state.record.accessToken, world.state.record.refreshToken]
        let tokens = try await world.state.refresh()
        #expect(
            Set(world.messages).isSuperset(of: [
                "debug waiting for tokens", "debug renewing tokens", "info renewed tokens", "debug got tokens",
            ]), "\(world.messages)")
        let text = "\(world.log.entries.map { "\($0.message) \($0.metadata)" })"
        for secret in secrets + [tokens.accessToken, tokens.idToken] {
            #expect(!text.contains(try #require(secret)))
        }
        #expect(Set(world.log.entries.map { "\($0.metadata["state"] ?? "")" }).count == 1 && !text.contains("a key"))
        await world.provider.stop()
    }

    @Test(
        "the level names the party that has to act",
        arguments: [
            ("temporarily_unavailable", 503, Logger.Level.warning, "transient"),
            ("invalid_grant", 400, .notice, "reauthenticationRequired"),
            ("invalid_client", 401, .error, "configuration"),
        ])
    func levels(code: String, status: Int, level: Logger.Level, kind: String) async throws {
        let world = try await World()
        world.log.clear()
        world.provider.injectFaults(at: .token) { _ in .oauthError(code, status: status, description: "because") }
        await #expect(throws: AuthStateError.self) { try await world.state.refresh() }
        let entry = try #require(world.log.entries.first { $0.message == "renewing tokens failed" })
        #expect(entry.level == level)
        #expect(entry.metadata["kind"] == "\(kind)" && entry.metadata["stage"] == "refresh")
        #expect("\(entry.metadata["error"] ?? "")".contains("because"))
        await world.provider.stop()
    }

    @Test("a caller's events are in the caller's own log, with the request's id")
    func callers() async throws {
        let world = try await World()
        world.log.clear()
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "request") { _ in handler }
        logger.logLevel = .trace
        logger[metadataKey: "request"] = "42"
        try await withLogger(logger) { _ in _ = try await world.state.refresh() }
        #expect(handler.entries.map { "\($0.message)" } == ["waiting for tokens", "got tokens"])
        #expect(handler.entries.allSatisfy { $0.metadata["request"] == "42" })
        #expect(world.messages.contains("info renewed tokens"))
        #expect(!world.messages.contains("debug got tokens"))
        await world.provider.stop()
    }
}
