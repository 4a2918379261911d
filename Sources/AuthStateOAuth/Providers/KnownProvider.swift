package import AuthStateJOSE

/// A provider whose ways are known: where its endpoints are, what to ask it for, and what it does otherwise than others.
///
/// A value from a table; everything in it can be changed before it is used.
public struct KnownProvider: Sendable, Hashable {
    /// Its name in lowercase, as `init(named:at:realm:)` takes it.
    public let name: String
    /// Its name as people write it.
    public let title: String
    /// Where its endpoints come from.
    package var source: Source
    /// What it does otherwise, accepted by name.
    public var tolerances: Set<Tolerance> = []
    /// What is asked for when nothing else is.
    public var scopes: [Scope]
    /// What it shall ask of the person.
    public var prompt: [AuthorizationRequest.Prompt] = []
    /// What its authorization endpoint wants besides.
    public var additionalParameters: Parameters = [:]
    /// With one of these scopes it answers by `form_post` only.
    public var formPostScopes: Set<Scope> = []
    /// What it demands of redirect URIs; nil is nothing beyond the specifications.
    package var redirectRule: RedirectRule?
    /// What a developer does at the provider first.
    public let registration: Registration
    /// What is out of the ordinary, each with the provider's own document.
    public var quirks: [Quirk] = []

    /// Where endpoints come from.
    package enum Source: Sendable, Hashable {
        /// The provider's discovery document.
        case discovery(issuer: String)
        /// The members that its metadata would have, for a provider that publishes none.
        case metadata([String: JSONValue])
    }

    /// Something out of the ordinary.
    public struct Quirk: Sendable, Hashable {
        /// What the provider does, in one sentence.
        public let summary: String
        /// The URL of the provider's document that says so.
        public let documentation: String
    }

    init(
        _ name: String, title: String, _ source: Source, scopes: [Scope], tolerances: Set<Tolerance> = [],
        prompt: [AuthorizationRequest.Prompt] = [], additionalParameters: Parameters = [:],
        formPostScopes: Set<Scope> = [], redirectRule: RedirectRule? = nil, registration: Registration,
        quirks: [Quirk] = []
    ) {
        self.name = name
        self.title = title
        self.source = source
        self.scopes = scopes
        self.tolerances = tolerances
        self.prompt = prompt
        self.additionalParameters = additionalParameters
        self.formPostScopes = formPostScopes
        self.redirectRule = redirectRule
        self.registration = registration
        self.quirks = quirks
    }
}

extension KnownProvider {
    /// The issuer to discover it by; nil for one whose endpoints are in the table.
    public var issuer: String? {
        guard case .discovery(let issuer) = source else { return nil }
        return issuer
    }

    /// The configuration of a provider that has no discovery document; nil for one that has.
    ///
    /// - Throws: `AuthStateError` with `.invalidMetadata`.
    package func configurationByHand() throws -> ServiceConfiguration? {
        guard case .metadata(let document) = source else { return nil }
        var configuration = try ServiceConfiguration(byHand: ProviderMetadata(document: document))
        configuration.tolerances = tolerances
        return configuration
    }

    /// An authorization request in the way that this provider wants it.
    ///
    /// - Parameters:
    ///   - configuration: See `AuthorizationService.configuration(of:)`.
    ///   - scopes: What to ask for; nil asks for `scopes`.
    public func request(
        configuration: ServiceConfiguration, clientID: String, scopes: [Scope]? = nil, redirectURI: RedirectURI? = nil
    ) -> AuthorizationRequest {
        var request = AuthorizationRequest(
            configuration: configuration, clientID: clientID, scopes: scopes ?? self.scopes, redirectURI: redirectURI)
        request.prompt = prompt
        // What it needs is in the table.
        request.asksConsentForOfflineAccess = false
        request.additionalParameters = additionalParameters
        if !formPostScopes.isDisjoint(with: request.scopes) { request.responseMode = .formPost }
        return request
    }
}
