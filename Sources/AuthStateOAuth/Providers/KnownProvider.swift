package import AuthStateJOSE

/// A provider with known characteristics: its endpoints, the scopes to ask for, and its deviations.
///
/// A value from the table of AuthStateProviders; everything in it can be changed before it is used.
public struct KnownProvider: Sendable, Hashable {
    /// Its name in lowercase, as `init(named:at:realm:)` takes it.
    public let name: String
    /// Its name as people write it.
    public let title: String
    package var source: Source
    /// Its deviations, accepted by name.
    public var tolerances: Set<Tolerance> = []
    /// The scopes that are asked for by default.
    public var scopes: [Scope]
    /// The actions that it asks of the user.
    public var prompt: [AuthorizationPrompt] = []
    /// The additional parameters that its authorization endpoint needs.
    public var additionalParameters: Parameters = [:]
    /// With one of these scopes it answers by `form_post` only.
    public var formPostScopes: Set<Scope> = []
    /// Its demands on redirect URIs; nil is none beyond the specifications.
    package var redirectRule: RedirectRule?
    /// The steps that a developer takes at the provider first.
    public let registration: Registration
    /// Its peculiarities, each with the provider's own document.
    public var quirks: [Quirk] = []

    package enum Source: Sendable, Hashable {
        /// The provider's discovery document.
        case discovery(issuer: String)
        /// The members that its metadata would have, for a provider that publishes none.
        case metadata([String: JSONValue])
    }

    /// A peculiarity of a provider.
    public struct Quirk: Sendable, Hashable {
        /// The provider's behaviour, in one sentence.
        public let summary: String
        /// The URL of the provider's document about it.
        public let documentation: String
    }

    /// The steps that a developer takes at the provider once, before the first login.
    public struct Registration: Sendable, Hashable {
        /// The page where clients are registered; nil for a provider that organizations run themselves.
        public let page: String?
        /// How to register a program on the user's own machine, and which redirect URI to enter, in sentences.
        public let steps: String
        /// The redirect URI for such a program, port 0 where any port will do; nil where no answer goes to a machine.
        public let loopbackRedirectURI: String?

        package init(page: String?, steps: String, loopbackRedirectURI: String?) {
            (self.page, self.steps, self.loopbackRedirectURI) = (page, steps, loopbackRedirectURI)
        }
    }

    /// Makes a provider; its quirks are sentences, each with the URL of the document.
    package init(
        _ name: String, title: String, _ source: Source, scopes: [Scope], tolerances: Set<Tolerance> = [],
        prompt: [AuthorizationPrompt] = [], additionalParameters: Parameters = [:],
        formPostScopes: Set<Scope> = [], redirectRule: RedirectRule? = nil, registration: Registration,
        quirks: KeyValuePairs<String, String> = [:]
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
        self.quirks = quirks.map { Quirk(summary: $0, documentation: $1) }
    }

    /// The issuer to discover it by; nil for a provider whose endpoints are in the table.
    public var issuer: String? {
        guard case .discovery(let issuer) = source else { return nil }
        return issuer
    }

    /// The configuration of a provider without a discovery document, else nil; throws `.invalidMetadata`.
    package func configurationByHand() throws -> ProviderConfiguration? {
        guard case .metadata(let document) = source else { return nil }
        var configuration = try ProviderConfiguration(byHand: ProviderMetadata(document: document))
        configuration.tolerances = tolerances
        return configuration
    }

    /// A provider's demands on redirect URIs beyond the specifications.
    package enum RedirectRule: Sendable, Hashable {
        /// A scheme of an app's own is the client identifier in reverse.
        ///
        /// https://developers.google.com/identity/protocols/oauth2/native-app
        case reversedClientID
        /// https and a domain name: no scheme of an app's own, no address, no localhost.
        ///
        /// https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple
        case domainOnly
        /// A port of this machine goes by the name localhost; by its address only where the app's manifest says so.
        ///
        /// https://learn.microsoft.com/en-us/entra/identity-platform/reply-url
        case localhostByName
        /// https, and http://localhost while an app is in development.
        ///
        /// https://developers.facebook.com/docs/facebook-login/security
        case webOnly
        /// A port of this machine goes by its address; the name is refused.
        ///
        /// https://developer.spotify.com/documentation/web-api/concepts/redirect_uri
        case addressOnly
        /// A host within the domain that is registered, after every scheme.
        ///
        /// https://developers.strava.com/docs/authentication/
        case callbackDomain
    }
}
