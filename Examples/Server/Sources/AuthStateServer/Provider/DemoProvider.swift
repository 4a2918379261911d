import AuthStateKit
import AuthStateTesting
import ServiceLifecycle

/// A provider in this process, so that the server can be tried without having one; for nothing else.
struct DemoProvider: Service {
    private let provider: OpenIDProvider

    /// The client that it knows: a public one, as PKCE protects it.
    static let clientID = "demo"

    /// Starts it with a login page, the user `ada` (password `lovelace`), and tokens that end every minute.
    init(port: UInt16, client: BaseURL) async throws {
        var configuration = OpenIDProvider.Configuration()
        configuration.login = .page
        configuration.accessTokenLifetime = 60
        configuration.clients = [
            OpenIDProvider.Client(
                id: Self.clientID, redirectURIs: [client(Provider.callbackPath)],
                postLogoutRedirectURIs: [client(Provider.logoutPath)])
        ]
        provider = try await OpenIDProvider(configuration: configuration, port: port)
    }

    var issuer: String { provider.issuer }

    /// Waits for the server's end, and stops.
    func run() async throws {
        try? await gracefulShutdown()
        await provider.stop()
    }
}
