import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which provider it is, and how it is reached; remembered with the login.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The provider, exactly as it writes itself.", valueName: "url"))
    var issuer: String

    @Flag(name: .customLong("allow-insecure-http"), help: "Allow http for a provider that is not on this machine.")
    var allowInsecureHTTP = false

    @Option(name: .customLong("ca-file"), help: ArgumentHelp("Trust these authorities too.", valueName: "pem"))
    var certificateAuthorityFile: String?

    @Option(
        help: ArgumentHelp(
            "Where --grant device begins, for providers whose metadata do not say it.", valueName: "url"),
        transform: Self.endpoint)
    var deviceAuthorizationEndpoint: URL?

    func validate() throws {
        if issuer.isEmpty { throw ValidationError("--issuer must not be empty.") }
    }

    /// Finds out without the network whether the provider can be one.
    ///
    /// - Throws: `AuthStateError` with `.invalidIssuer`.
    func check() throws { _ = try Issuer(issuer) }

    /// The provider's endpoints.
    func configuration(_ service: AuthorizationService) async throws -> ServiceConfiguration {
        var configuration = try await service.discoverConfiguration(issuer: issuer)
        if let deviceAuthorizationEndpoint {
            configuration.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        }
        return configuration
    }

    private static func endpoint(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.host?.isEmpty == false else {
            throw ValidationError("'\(text)' is not a URL with a host.")
        }
        return url
    }
}
