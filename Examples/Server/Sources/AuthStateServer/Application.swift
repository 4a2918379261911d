import AsyncHTTPClientTransport
public import AuthStateKit
import HTTPTypes
public import Hummingbird
public import Logging
import LoggingObserver
import ServiceLifecycle

/// Makes the server: run it with `runService()`, or test it.
///
/// - Parameters:
///   - configuration: Limits and clocks of the service that talks to the provider.
/// - Throws: `SettingsError` when the provider or the store cannot be used as they are set up. An unreachable provider
///   does not stop the start: it may come back.
public func makeApplication(
    _ settings: Settings, configuration: AuthorizationService.Configuration = .init(), logger: Logger
) async throws -> some ApplicationProtocol {
    let transport = AsyncHTTPClientTransport()
    let service = AuthorizationService(transport: transport, configuration: configuration)
    // The services end in reverse order: first new requests end, then renewals in progress, then connections.
    var services: [any Service] = [TransportService(transport: transport)]

    let provider: Provider
    let hint: HTML
    switch settings.provider {
    case .demo(let port):
        let demo = try await DemoProvider(port: port, client: settings.baseURL)
        services.append(demo)
        provider = Provider(demo.issuer, DemoProvider.clientID, .none, settings, service)
        hint =
            "<p>This server brings its own provider: its user is <code>ada</code>, password <code>lovelace</code>.</p>"
    case .issuer(let issuer, let clientID, let credential):
        provider = Provider(issuer, clientID, credential, settings, service)
        hint = ""
    }
    try await provider.check(logger)

    let (store, storeServices) = try await settings.storage.open(logger)
    var options = AuthStatePool.Options()
    options.state.observer = LoggingObserver(logger: logger)
    let pool = AuthStatePool(store: store, service: service, credential: provider.credential, options: options)
    let sessions = Sessions(provider: provider, pool: pool, logger: logger)
    services += storeServices + [PoolService(pool: pool), SweepService(sessions: sessions)]

    let router = Router(options: .autoGenerateHeadEndpoints)
    router.addMiddleware {
        SecurityHeaders(isSecure: settings.baseURL.isSecure)
        RequestLog()
        ErrorPages()
        LoopbackName(baseURL: settings.baseURL)
    }
    router.get("/healthz") { _, _ in "ok\n" }
    router.get("/style.css") { _, _ in StyleSheet() }
    LoginRoutes(provider: provider, sessions: sessions, seal: try LoginSeal(settings.storage.sealingKeys))
        .add(to: router)
    SessionRoutes(provider: provider, sessions: sessions, hint: hint).add(to: router)
    LogoutRoutes(provider: provider, sessions: sessions, logouts: PendingLogouts(clock: configuration.clock))
        .add(to: router)

    return Application(
        router: router, configuration: .init(address: .hostname(settings.host, port: settings.port)),
        services: services,
        onServerRunning: { _ in logger.notice("ready", metadata: ["url": "\(settings.baseURL.origin)"]) },
        logger: logger)
}

extension Provider {
    fileprivate init(
        _ issuer: String, _ clientID: String, _ credential: ClientCredential, _ settings: Settings,
        _ service: AuthorizationService
    ) {
        self.init(
            issuer: issuer, clientID: clientID, credential: credential.sent(onlyTo: .issuer(issuer)),
            scopes: settings.scopes,
            baseURL: settings.baseURL, service: service)
    }

    /// Reports at the start an error that the first sign-in would otherwise meet.
    fileprivate func check(_ logger: Logger) async throws {
        do { try credential.checkAvailable() } catch let error as AuthStateError {
            throw SettingsError(variable: "CLIENT_SECRET", problem: "\(error)")
        }
        do { _ = try await begin() } catch let error as AuthStateError where error.kind == .transient {
            logger.warning("the provider does not answer yet", metadata: ["issuer": "\(issuer)", "error": "\(error)"])
        } catch let error as AuthStateError {
            throw SettingsError(variable: "ISSUER", problem: "\(error)")
        }
    }
}
