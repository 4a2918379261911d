public import AuthStateFoundation
import AuthStateJOSE
public import AuthStateKit
import AuthStateOAuth
import AuthStateSystem
import AuthStateUserAgent

/// An OpenID provider inside this process, on a loopback port, for tests and demonstrations.
///
/// It knows a public client `app`, a confidential client `service` and a user Ada, signs with real keys, rotates
/// refresh tokens, and detects when one is used twice. Its behaviour can be changed at any time, faults injected, and
/// requests counted. It ends when it is stopped or released; it logs nothing.
///
/// ```swift
/// let provider = try await OpenIDProvider()
/// let configuration = try await AuthorizationService().discoverConfiguration(issuer: provider.issuer)
/// ```
public final class OpenIDProvider: Sendable {
    /// The issuer, `http://127.0.0.1:PORT` and the configured path.
    public let issuer: String
    /// The port that it listens on.
    public let port: UInt16
    let core: ProviderCore
    private let server: LoopbackServer

    /// Starts a provider.
    ///
    /// - Parameters:
    ///   - configuration: How it behaves.
    ///   - port: 0 for any free one.
    ///   - clock: The time of day, for expiry and for the times in ID tokens.
    /// - Throws: `AuthStateError` with `.portInUse`; `JOSEError` when the system's cryptographic library is missing.
    public init(
        configuration: Configuration = Configuration(), port: UInt16 = 0, clock: WallClock = .system
    ) async throws {
        let core = ProviderCore(configuration, clock: clock)
        try core.keys.prepare(configuration.signingAlgorithm)
        var limits = LoopbackLimits()
        limits.connections = configuration.maximumConnections
        do {
            server = try LoopbackServer(port: port, addresses: [.ipv4], limits: limits) { request, responder in
                core.handle(request, responder)
            }
        } catch {
            throw AuthStateError(
                .portInUse, stage: .usage, "The provider cannot listen on port \(port).",
                hint: "Use port 0 for any free port.", underlying: error)
        }
        self.core = core
        self.port = server.port
        issuer = "http://127.0.0.1:\(server.port)\(configuration.issuerPath)"
        core.state.withLock { [issuer] in $0.issuer = issuer }
    }

    /// Stops; connections are closed and the port is free when this returns.
    public func stop() async {
        server.stop()
        await server.stopped()
    }

    /// How it behaves now.
    public var configuration: Configuration { core.state.withLock { $0.configuration } }

    /// Changes how it behaves, from the next request on.
    public func update(_ change: (inout Configuration) throws -> Void) rethrows {
        try core.state.withLock { try change(&$0.configuration) }
    }

    /// The URL of an endpoint.
    public func url(of endpoint: Endpoint) -> URL {
        let text = "http://127.0.0.1:\(port)\(endpoint.path(under: configuration.issuerPath))"
        // Letters, digits and slashes are always a URL; a path with other characters fails visibly at discovery.
        return URL(string: text) ?? URL(filePath: "/")
    }
}
