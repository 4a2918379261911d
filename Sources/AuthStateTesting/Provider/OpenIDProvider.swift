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
/// requests counted. It ends when it is stopped or released; its page, ``Endpoint/home``, shows what it was asked.
///
/// ```swift
/// let provider = try await OpenIDProvider()
/// let configuration = try await AuthorizationService().discoverConfiguration(issuer: provider.issuer)
/// ```
public final class OpenIDProvider: Sendable {
    /// The issuer: `http://127.0.0.1:PORT`, or with `localhost`, and the configured path.
    public let issuer: String
    /// The port that it listens on.
    public let port: UInt16
    let core: ProviderCore
    private let origin: String
    private let server: LoopbackServer

    /// Starts a provider.
    ///
    /// - Parameters:
    ///   - configuration: How it behaves.
    ///   - port: 0 for any free one.
    ///   - clock: The time of day, for expiry and for the times in ID tokens.
    /// - Throws: `AuthStateError`: `.portInUse` when the provider cannot listen on the port, `.invalidArgument` when the
    ///   configuration's file cannot be read or written. `JOSEError` when the system's cryptographic library is missing.
    public init(
        configuration: Configuration = Configuration(), port: UInt16 = 0, clock: WallClock = .system
    ) async throws {
        let core = ProviderCore(configuration, clock: clock)
        if let file = configuration.file { try core.restore(from: file) }
        if let key = configuration.signingKey { core.keys.restore([key], retired: [], count: 1) }
        try core.keys.prepare(configuration.signingAlgorithm)
        core.withState { state in for client in state.base.clients { state.prepareKeys(for: client) } }
        var limits = LoopbackLimits()
        limits.connections = configuration.maximumConnections
        do {
            let addresses: [LoopbackAddress] = configuration.isNamedLocalhost ? [.ipv4, .ipv6] : [.ipv4]
            server = try LoopbackServer(port: port, addresses: addresses, limits: limits) { request, responder in
                core.handle(request, responder)
            }
        } catch {
            throw AuthStateError(
                .portInUse, stage: .usage, "The provider cannot listen on port \(port): \(error).",
                hint: "Use port 0 for any free port.")
        }
        self.core = core
        self.port = server.port
        origin = "http://\(configuration.isNamedLocalhost ? "localhost" : "127.0.0.1"):\(server.port)"
        issuer = "\(origin)\(configuration.issuerPath)"
        core.state.withLock { [issuer] in $0.issuer = issuer }
    }

    /// Stops; connections are closed and the port is free when this returns.
    public func stop() async {
        server.stop()
        await server.stopped()
    }

    /// How it behaves now.
    public var configuration: Configuration { core.state.withLock { $0.base } }

    /// Changes how it behaves, from the next request on; the closure may read `url(of:)`, and nothing else of the provider.
    public func update(_ change: (inout Configuration) throws -> Void) rethrows {
        try core.state.withLock { try change(&$0.base) }
    }

    /// The URL of an endpoint.
    public func url(of endpoint: Endpoint) -> URL {
        let text = "\(origin)\(endpoint.path(under: String(issuer.dropFirst(origin.count))))"
        // Letters, digits and slashes are always a URL; a path with other characters fails visibly at discovery.
        return URL(string: text) ?? URL(filePath: "/")
    }
}
