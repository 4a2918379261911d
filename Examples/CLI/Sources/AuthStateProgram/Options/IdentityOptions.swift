import ArgumentParser
import AuthStateKit
import AuthStateOAuth

/// The provider by a user's address, for people who know that better than an issuer.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Find the provider by a user's address (WebFinger): ada@example.org, acct:ada@example.org, or an https URL. "
                + "Instead of --issuer.", valueName: "address"))
    var identifier: String?

    @Option(
        name: .customLong("allow-issuer"),
        help: ArgumentHelp(
            "With --identifier: an issuer that the address may lead to; may be repeated. Without it you are asked.",
            valueName: "url"), transform: Issuer.name)
    var allowedIssuers: [String] = []

    func validate() throws {
        if identifier?.isEmpty == true { throw ValidationError("--identifier must not be empty.") }
        if identifier == nil, !allowedIssuers.isEmpty {
            throw ValidationError("--allow-issuer goes with --identifier.")
        }
    }

    /// The issuer that the address leads to, once the user has allowed it; nil without an address.
    ///
    /// - Throws: `AuthStateError` of stage discovery; `.issuerNotAllowed` for an issuer that the user does not allow.
    func issuer(_ service: AuthorizationService, _ console: Console) async throws -> Issuer? {
        guard let identifier else { return nil }
        let allowed = IssuerAllowList(allowedIssuers)
        // A user at a terminal can check the issuer; a script has to name it.
        let mayAsk = console.isInteractive && allowedIssuers.isEmpty
        let list = mayAsk ? IssuerAllowList { console.confirms(Self.question(identifier, $0)) } : allowed
        do { return try await service.discoverIssuer(identifier: identifier, allowedIssuers: list) } catch var error
            as AuthStateError where error.code == .issuerNotAllowed
        {
            error.hint = "If you trust this issuer with the user's password, allow it with --allow-issuer."
            throw error
        }
    }

    private static func question(_ identifier: String, _ issuer: Issuer) -> String {
        "\(identifier) is logged in by \(issuer). Do you trust it with your password?"
    }
}
