import AsyncHTTPClient
import AuthStateAsyncHTTPClient
import AuthStateJOSE
import AuthStateKit
import AuthStateSwiftCrypto
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
    import Glibc
#else
    import Foundation
#endif

/// Logs in, or continues with the stored login, and renews: a whole client in one file, which needs no other on the machine.
///
/// It writes the address to open in a browser to standard output, as its first line. Its settings are variables of the
/// environment: ISSUER, CLIENT_ID, REDIRECT_URI, STATE_FOLDER, and AUTHORITIES, a PEM file, where the system's are missing.
@main
enum StaticLogin {
    static func main() async {
        // First of all: what was computed before would have gone to the platform's library.
        Cryptography.use(SwiftCryptoBackend())
        do { try await run() } catch {
            print("static-login: \(error)")
            exit(1)
        }
    }

    private static func run() async throws {
        var configuration = HTTPClient.Configuration()
        if let authorities = try? setting("AUTHORITIES") {
            configuration.tlsConfiguration = .makeClientConfiguration()
            configuration.tlsConfiguration?.trustRoots = .file(authorities)
        }
        let service = AuthorizationService(transport: AsyncHTTPClientTransport(configuration: configuration))
        let provider = try await service.discoverConfiguration(issuer: try setting("ISSUER"))
        let request = AuthorizationRequest(
            Client(provider, id: try setting("CLIENT_ID")), scopes: [.openID, "offline_access"],
            redirectURI: try RedirectURI(try setting("REDIRECT_URI")))
        let browser = LoopbackUserAgent(
            browser: .custom { url in
                print(url.absoluteString)
                fflush(nil)
            }, timeout: .seconds(60))
        let place = AuthState.Place(FileAuthStateStore(folder: try setting("STATE_FOLDER")), service: service)
        let state = try await AuthState.restoreOrLogIn(.browser(request, browser), at: place)
        try await state.refresh()
        print("renewed, until \(state.status.accessTokenExpirationDate.map { "\($0)" } ?? "an unknown time")")
        print("subject \(try IDToken(parsing: state.record.idToken ?? "").subject ?? "unknown")")
    }

    private static func setting(_ name: String) throws -> String {
        guard let value = ProcessInfo.processInfo.environment[name] else { throw MissingSetting(name: name) }
        return value
    }
}

struct MissingSetting: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) is not set" }
}
