import AuthStateHummingbird
import AuthStateKit
import AuthStateTesting
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import WebServer

/// The server on a loopback port, with a provider that has a login page: Ada's tokens expire within seconds.
struct RunningSite: Sendable {
    let base: String
    let provider: OpenIDProvider

    /// Runs a test at a server of its own.
    ///
    /// - Parameter isBrokered: Whether the authorization endpoint is that of a broker, which sends the browser on to the
    ///   provider's login page at another origin.
    static func run(isBrokered: Bool = false, _ body: @Sendable (RunningSite) async throws -> Void) async throws {
        let port = RedirectPorts.next()
        let base = "http://127.0.0.1:\(port)"
        var configuration = OpenIDProvider.Configuration()
        configuration.login = .page
        configuration.accessTokenLifetime = .seconds(2)
        configuration.clients = [
            OpenIDProvider.Client(
                id: "site", redirectURIs: ["\(base)/callback"], postLogoutRedirectURIs: ["\(base)/logout"])
        ]
        let brokerPort = RedirectPorts.next()
        if isBrokered {
            configuration.deviations.metadata = {
                $0["authorization_endpoint"] = .string("http://127.0.0.1:\(brokerPort)/authorize")
            }
        }
        let provider = try await OpenIDProvider(configuration: configuration)
        let folder = try TemporaryFolder()
        guard let baseURL = BaseURL(base) else { throw NotInTime(description: "\(base) is no URL") }
        var logger = Logger(label: "site")
        logger.logLevel = .error
        let application = try await makeApplication(
            Settings(
                provider: .issuer(provider.issuer, clientID: "site", credential: .none), baseURL: baseURL, port: port,
                storage: Storage(.files(folder: folder("states")))), logger: logger)
        var services: [any Service] = [application]
        if isBrokered { services.append(broker(before: provider, at: brokerPort, logger)) }
        let group = ServiceGroup(configuration: .init(services: services, logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            defer { tasks.cancelAll() }
            try await answers(base)
            try await body(RunningSite(base: base, provider: provider))
            // Like SIGTERM: everything ends in order, or the test fails.
            await group.triggerGracefulShutdown()
            try await tasks.next()
        }
        await provider.stop()
    }

    /// A server that sends each browser on to the provider.
    private static func broker(before provider: OpenIDProvider, at port: Int, _ logger: Logger) -> some Service {
        let router = Router()
        router.get("authorize") { request, _ in
            Response.redirect(to: "\(provider.url(of: .authorization))?\(request.uri.query ?? "")", type: .found)
        }
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
    }

    /// Waits until the server answers.
    static func answers(_ base: String) async throws {
        guard let url = URL(string: "\(base)/healthz") else { return }
        try await eventually("the server", within: .seconds(30)) {
            try? await SystemTransport.shared.send(TransportRequest(url: url))
        }
    }

    /// Allows, on the provider's page, which the browser is on; types Ada's name and password where she is not logged in yet.
    func allow(in browser: Chromium) async throws {
        try await browser.arrives(at: provider.issuer)
        if try await browser.text("label[for=username]") != nil {
            try await browser.type("ada", into: "#username")
            try await browser.type("lovelace", into: "#password")
        }
        try await browser.click("#allow")
        try await browser.arrives(at: "\(base)/profile")
    }

    /// Signs Ada in, from the button on the home page on.
    func signIn(in browser: Chromium) async throws {
        try await browser.open(base)
        try await browser.click("#login")
        try await allow(in: browser)
    }

    /// Logs Ada in at the provider without the browser, which is on the login page; returns the callback that it would
    /// open.
    func callback(of browser: Chromium) async throws -> String {
        var form = Parameters(decoding: try await browser.url.split(separator: "?", maxSplits: 1)[1]) ?? [:]
        form["username"] = "ada"
        form["password"] = "lovelace"
        form["decision"] = "allow"
        let answer = try await SystemTransport.shared.send(
            TransportRequest(
                method: .post, url: provider.url(of: .authorization),
                headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.encoded.utf8)))
        return answer.headers["Location"] ?? ""
    }
}
