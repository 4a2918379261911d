import ArgumentParser
import AuthStateKit
import AuthStatePlatform
import AuthStateProviders

/// The provider, and how it is reached; remembered with the login.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The provider, exactly as it writes itself.", valueName: "url"), transform: Issuer.name)
    var issuer: String?

    @Option(
        help: ArgumentHelp(
            "A known provider, instead of --issuer: "
                + KnownProvider.listings.map(\.name).joined(separator: ", ") + ".", valueName: "name"))
    var provider: String?

    @Option(
        help: ArgumentHelp(
            "Where that provider is: the domain of Okta and Auth0, the base URL of Keycloak and ForgeRock.",
            valueName: "place"))
    var domain: String?

    @Option(
        help: ArgumentHelp(
            "The tenant at Microsoft: its GUID, organizations, consumers or common. Default: common.",
            valueName: "id"))
    var tenant: String?

    @Option(
        help: ArgumentHelp(
            "The realm of Keycloak and ForgeRock, the authorization server of Okta.", valueName: "name"))
    var realm: String?

    @Option(
        name: .customLong("tolerate"),
        help: ArgumentHelp(
            "Accept what the provider does otherwise than the standards say; may be repeated.", valueName: "name"))
    var tolerances: [ToleranceName] = []

    @Option(
        help: ArgumentHelp(
            "Where --grant device begins, for providers whose metadata do not say it.", valueName: "url"),
        transform: Self.endpoint)
    var deviceAuthorizationEndpoint: URL?

    @Flag(name: .customLong("allow-insecure-http"), help: "Allow http for a provider that is not on this machine.")
    var allowInsecureHTTP = false

    @Option(
        name: .customLong("ca-file"), help: ArgumentHelp("Trust these authorities too.", valueName: "pem"),
        transform: FileName.expanded)
    var certificateAuthorityFile: String?

    func validate() throws {
        if issuer != nil, provider != nil { throw ValidationError("--issuer goes without --provider.") }
        if issuer?.isEmpty == true { throw ValidationError("--issuer must not be empty.") }
        let places = [("--domain", domain), ("--tenant", tenant), ("--realm", realm)]
        if provider == nil, let option = places.first(where: { $0.1 != nil })?.0 {
            throw ValidationError("\(option) goes with --provider.")
        }
        if let listing = KnownProvider.listings.first(where: { $0.name == provider?.lowercased() }) {
            try checkPlace(of: listing)
        }
        do { _ = try known() } catch let error as AuthStateError {
            guard error.code == .invalidIssuer else {
                throw ValidationError("\(tenant == nil ? "--provider" : "--tenant"): \(error)")
            }
            throw ValidationError("--domain takes a base URL here, for example https://sso.example.")
        }
    }

    /// Refuses a call that names no provider, or more than one.
    func requireProvider(or identity: IdentityOptions? = nil) throws {
        let names = [("--issuer", issuer), ("--provider", provider), ("--identifier", identity?.identifier)]
        let given = names.compactMap { $1 == nil ? nil : $0 }
        if given.isEmpty {
            throw ValidationError(
                "Name the provider with --issuer or --provider\(identity == nil ? "" : ", --identifier or --for").")
        }
        if given.count > 1 { throw ValidationError("\(given[0]) goes without \(given[1]).") }
        let ofResources: [ToleranceName] = [.parentResource, .unnamedResource, .foreignAuthorizationEndpoint]
        if let name = tolerances.first(where: ofResources.contains) {
            throw ValidationError("--tolerate \(name.rawValue) goes with 'authstate login --for'.")
        }
    }

    /// Checks the arguments that a known provider needs, and names them as options.
    private func checkPlace(of listing: KnownProvider.Listing) throws {
        let name = listing.name
        let isMicrosoft = name == "microsoft"
        if tenant != nil, !isMicrosoft { throw ValidationError("--tenant goes with --provider microsoft.") }
        if domain != nil, isMicrosoft || listing.place == nil {
            throw ValidationError("--provider \(name) goes without --domain.")
        }
        if let place = listing.place, domain == nil, !listing.isPlaceOptional {
            throw ValidationError("--provider \(name) needs --domain with its \(place).")
        }
        if realm != nil, !listing.hasRealms { throw ValidationError("--provider \(name) goes without --realm.") }
        if realm == nil, name == "keycloak" { throw ValidationError("--provider keycloak needs --realm.") }
    }

    /// The known provider; nil when an issuer was given.
    func known() throws -> KnownProvider? {
        try provider.map { try KnownProvider(named: $0, at: domain ?? tenant, realm: realm) }
    }

    /// Checks the issuer without the network.
    func check() throws { if let issuer { _ = try Issuer(issuer) } }

    /// The provider's endpoints.
    ///
    /// - Parameter found: The issuer when no option names it.
    func configuration(
        _ service: AuthorizationService, issuer found: Issuer? = nil
    ) async throws -> ProviderConfiguration {
        var configuration =
            if let known = try known() {
                try await service.configuration(of: known)
            } else {
                try await service.discoverConfiguration(issuer: issuer ?? found?.rawValue ?? "")
            }
        configuration.tolerances.formUnion(tolerances.map(\.tolerance))
        if let deviceAuthorizationEndpoint { configuration.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint }
        return configuration
    }

    private static func endpoint(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.host?.isEmpty == false else {
            throw ValidationError("'\(text)' is not a URL with a host.")
        }
        return url
    }
}
