import AuthStateAsyncHTTPClient
import AuthStateHummingbird
public import AuthStateKit
import AuthStateLogging
import AuthStateServer
import AuthStateServiceLifecycle
import HTTPTypes
public import Hummingbird
public import Logging
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
    let (store, storeServices) = try await settings.storage.open(logger)
    let (openID, demo) = try await settings.openID()
    var options = AuthStatePool.Options()
    options.state.observer = LoggingObserver(logger: logger)
    let pool = AuthStatePool(
        store: IndexedAuthStateStore(store),
        service: AuthorizationService(transport: transport, configuration: configuration),
        credential: openID.credential, options: options)
    let sessions = try OpenIDSessions(openID, pool: pool, logger: logger)
    try await sessions.checkAtStart(logger)
    // The services end in reverse order: first new requests end, then renewals in progress, then connections.
    var services: [any Service] = [ShutdownService(after: pool) { try await transport.shutdown() }]
    if let demo { services.append(demo) }
    services += storeServices
    services.append(AuthStatePoolService(pool))
    services.append(
        SweepService(pool, olderThan: openID.sessionLifetime) { result in
            logger.info("swept abandoned sessions", metadata: ["outcome": "\(result)"])
        })

    let router = Router(options: .autoGenerateHeadEndpoints)
    router.addMiddleware {
        SecurityHeaders(baseURL: settings.baseURL)
        RequestLog()
        ErrorPages(callback: openID.paths.callback)
        LoopbackName(baseURL: settings.baseURL)
    }
    router.get("/healthz") { _, _ in "ok\n" }
    router.get("/style.css") { _, _ in StyleSheet() }
    router.addOpenID(sessions)
    SessionRoutes(sessions: sessions, hint: demo == nil ? "" : DemoProvider.hint).add(to: router)

    return Application(
        router: router, configuration: .init(address: .hostname(settings.host, port: settings.port)),
        services: services,
        onServerRunning: { _ in logger.notice("ready", metadata: ["url": "\(settings.baseURL.origin)"]) },
        logger: logger)
}

extension Settings {
    /// How users sign in, and the provider that this server brings where no other was named.
    fileprivate func openID() async throws -> (OpenIDConfiguration, DemoProvider?) {
        var configuration: OpenIDConfiguration
        var demo: DemoProvider?
        switch provider {
        case .demo(let port):
            let provider = try await DemoProvider(port: port, client: baseURL)
            demo = provider
            configuration = OpenIDConfiguration(
                issuer: provider.issuer, clientID: DemoProvider.clientID, baseURL: baseURL)
        case .issuer(let issuer, let clientID, let credential):
            configuration = OpenIDConfiguration(
                issuer: issuer, clientID: clientID, credential: credential, baseURL: baseURL)
        }
        configuration.scopes = scopes
        configuration.tolerances = tolerances
        configuration.sealingKeys = storage.sealingKeys
        configuration.paths.afterLogin = "/profile"
        configuration.pages = SignInPages()
        return (configuration, demo)
    }
}

extension OpenIDSessions {
    /// Reports at the start an error that the first sign-in would otherwise meet.
    fileprivate func checkAtStart(_ logger: Logger) async throws {
        do { try configuration.credential.checkAvailable() } catch let error as AuthStateError {
            throw SettingsError(variable: "CLIENT_SECRET", problem: "\(error)")
        }
        do { try await check() } catch let error as AuthStateError where error.kind == .transient {
            logger.warning(
                "the provider does not answer yet",
                metadata: ["issuer": "\(configuration.issuer)", "error": "\(error)"])
        } catch let error as AuthStateError {
            throw SettingsError(variable: "ISSUER", problem: "\(error)")
        }
    }
}
