public import AuthStateOAuth

extension KnownProvider {
    /// A provider that a program can offer by name.
    public struct Listing: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The name as people write it.
        public let title: String
        /// The argument that is required besides the name, for example `domain`; nil when none is.
        public let place: String?
        /// Whether it works without that argument.
        public let isPlaceOptional: Bool
        /// Whether it has realms.
        public let hasRealms: Bool
    }

    /// Every provider that has a name here, by name.
    public static let listings: [Listing] = entries.map(\.listing)

    /// The provider of a name.
    ///
    /// - Parameters:
    ///   - name: In any case, for example `github`; see `listings`.
    ///   - place: The domain of Okta and Auth0, the base URL of Keycloak and ForgeRock, the tenant of Microsoft.
    ///   - realm: The realm of Keycloak and ForgeRock, the custom authorization server of Okta.
    /// - Throws: `AuthStateError` with `.invalidArgument` for a name that is not known, or when something is missing.
    public init(named name: String, at place: String? = nil, realm: String? = nil) throws {
        guard let entry = Self.entries.first(where: { $0.listing.name == name.lowercased() }) else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "No provider is known by this name.",
                expected: Self.listings.map(\.name).joined(separator: ", "), received: name,
                hint: "Use the provider's issuer instead.")
        }
        let listing = entry.listing
        func refusal(_ message: String, _ expected: String?) -> AuthStateError {
            AuthStateError(.invalidArgument, stage: .usage, message, expected: expected)
        }
        if let wanted = listing.place, place == nil, !listing.isPlaceOptional {
            throw refusal("\(listing.title) is not in one place.", "its \(wanted)")
        }
        if listing.place == nil, place != nil { throw refusal("\(listing.title) is in one place only.", "no place") }
        if !listing.hasRealms, realm != nil { throw refusal("\(listing.title) has no realms.", "no realm") }
        self = try entry.make(place ?? "", realm)
    }

    private struct Entry: Sendable {
        typealias Make = @Sendable (_ place: String, _ realm: String?) throws -> KnownProvider

        let listing: Listing
        let make: Make

        init(
            _ name: String, _ title: String, place: String? = nil, isPlaceOptional: Bool = false,
            hasRealms: Bool = false, make: @escaping Make
        ) {
            listing = Listing(
                name: name, title: title, place: place, isPlaceOptional: isPlaceOptional, hasRealms: hasRealms)
            self.make = make
        }
    }

    private static let entries: [Entry] =
        [google, apple, facebook, gitHub, spotify, strava].map { provider in
            Entry(provider.name, provider.title) { _, _ in provider }
        } + [
            Entry("microsoft", "Microsoft", place: "tenant", isPlaceOptional: true) { place, _ in
                switch place {
                case "": microsoft()
                case "consumers": microsoft(tenant: .consumers)
                default: microsoft(tenant: try Tenant(named: place))
                }
            },
            Entry("okta", "Okta", place: "domain", hasRealms: true) { try okta(domain: $0, authorizationServer: $1) },
            Entry("auth0", "Auth0", place: "domain") { place, _ in try auth0(domain: place) },
            Entry("keycloak", "Keycloak", place: "base URL", hasRealms: true) { place, realm in
                guard let realm else {
                    throw AuthStateError(
                        .invalidArgument, stage: .usage, "Keycloak's logins are in realms.", expected: "a realm")
                }
                return try keycloak(base: place, realm: realm)
            },
            Entry("forgerock", "ForgeRock", place: "base URL", hasRealms: true) {
                try forgeRock(base: $0, realm: $1 ?? "")
            },
        ]
}

extension KnownProvider.Tenant {
    /// A tenant that a user typed; its domain is refused, because the issuer holds the GUID alone.
    fileprivate init(named name: String) throws {
        self.init(rawValue: name.lowercased())
        guard isMany || TenantIssuer.isTenant(rawValue) else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "This is no tenant of Microsoft's.",
                expected: "common, organizations, consumers, or the tenant's GUID", received: name,
                hint: "Copy the Directory (tenant) ID from Microsoft's page.")
        }
    }
}
