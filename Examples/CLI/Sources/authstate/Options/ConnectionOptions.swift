import ArgumentParser
import AuthStateKit

/// Which provider it is, and how it is reached; remembered with the login.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The provider, exactly as it writes itself.", valueName: "url"))
    var issuer: String

    @Flag(name: .customLong("allow-insecure-http"), help: "Allow http for a provider that is not on this machine.")
    var allowInsecureHTTP = false

    @Option(name: .customLong("ca-file"), help: ArgumentHelp("Trust these authorities too.", valueName: "pem"))
    var certificateAuthorityFile: String?

    func validate() throws {
        if issuer.isEmpty { throw ValidationError("--issuer must not be empty.") }
    }

    /// Finds out without the network whether the provider can be one.
    ///
    /// - Throws: `AuthStateError` with `.invalidIssuer`.
    func check() throws { _ = try Issuer(issuer) }

    /// The provider's endpoints.
    func configuration(_ service: AuthorizationService) async throws -> ServiceConfiguration {
        try await service.discoverConfiguration(issuer: issuer)
    }
}
