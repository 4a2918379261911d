import AuthStateKit
import AuthStateTesting
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging

@testable import AuthStateHummingbird
@testable import WebServer

/// The server under test: at `http://localhost`, with a provider that logs Ada in without a page, and one clock for
/// both.
struct Site: Sendable {
    let client: any TestClientProtocol
    let provider: OpenIDProvider
    let clock: ManualClock

    /// A browser without cookies.
    func visitor() -> Visitor { Visitor(site: self) }

    /// Runs a test at a new server.
    static func run(
        folder: Folder = Folder(), provider configure: (inout OpenIDProvider.Configuration) -> Void = { _ in },
        _ body: @Sendable (Site) async throws -> Void
    ) async throws {
        var configuration = OpenIDProvider.Configuration()
        configuration.clients = [
            OpenIDProvider.Client(
                id: "site", redirectURIs: ["http://localhost/callback"],
                postLogoutRedirectURIs: ["http://localhost/logout"])
        ]
        configure(&configuration)
        let clock = ManualClock(startingAt: Date(timeIntervalSince1970: 1_800_000_000))
        let provider = try await OpenIDProvider(configuration: configuration, clock: clock.wallClock)
        do {
            try await run(folder: folder, provider, clock, body)
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }

    /// Runs a test at a new server, at a provider that is there.
    static func run(
        folder: Folder, sealingKeys: [SealingKey] = [], _ provider: OpenIDProvider, _ clock: ManualClock,
        _ body: @Sendable (Site) async throws -> Void
    ) async throws {
        guard let baseURL = BaseURL("http://localhost") else { preconditionFailure("this is a URL") }
        let settings = Settings(
            provider: .issuer(provider.issuer, clientID: "site", credential: .none), baseURL: baseURL, port: 0,
            storage: Storage(.files(folder: folder.path), sealingKeys: sealingKeys))
        var configuration = AuthorizationService.Configuration()
        configuration.clock = clock.wallClock
        var logger = Logger(label: "site")
        logger.logLevel = .critical
        let application = try await makeApplication(settings, configuration: configuration, logger: logger)
        try await application.test(.router) { client in
            try await body(Site(client: client, provider: provider, clock: clock))
        }
    }
}

/// A folder of one test's own, removed with the last reference to it.
final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "authstate-server-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// How many states are stored in it, and entries of the index: one for each session, and one for each user.
    var states: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.count { !$0.hasSuffix(".lock") }
    }

    /// Overwrites each stored state, and no entry of the index; returns their paths.
    func damageStates() throws -> [String] {
        let paths = try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasSuffix(".lock") }
            .map { "\(path)/\($0)" }
        return try paths.filter { path in
            guard try String(contentsOfFile: path, encoding: .utf8).contains("refreshToken") else { return false }
            try Data("{".utf8).write(to: URL(fileURLWithPath: path))
            return true
        }
    }
}
