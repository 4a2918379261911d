import AuthStateHummingbird
import AuthStateKit
import AuthStateTesting
import ServiceLifecycle

/// A provider in this process, for trying the server only.
struct DemoProvider: Service {
    private let provider: OpenIDProvider

    /// The client that it knows: a public one, as PKCE protects it.
    static let clientID = "demo"

    /// Tells visitors who can sign in.
    static let hint: HTML =
        "<p>This server brings its own provider: its user is <code>ada</code>, password <code>lovelace</code>.</p>"

    /// Starts it with a login page, the user `ada` (password `lovelace`), and tokens that expire every minute.
    ///
    /// - Throws: `SettingsError` when another program listens on the port.
    init(port: UInt16, client: BaseURL) async throws {
        var configuration = OpenIDProvider.Configuration()
        configuration.login = .page
        configuration.accessTokenLifetime = .seconds(60)
        configuration.clients = [
            OpenIDProvider.Client(
                id: Self.clientID, redirectURIs: [client("/callback")], postLogoutRedirectURIs: [client("/logout")])
        ]
        do {
            provider = try await OpenIDProvider(configuration: configuration, port: port)
        } catch let error as AuthStateError where error.code == .portInUse {
            throw SettingsError(
                variable: "PORT",
                problem: "port \(port), the next one, is for the provider that this server brings, and it is in use; "
                    + "choose another PORT, unless this server runs already")
        }
    }

    var issuer: String { provider.issuer }

    /// Waits for the server's end, and stops.
    func run() async throws {
        try? await gracefulShutdown()
        await provider.stop()
    }
}
