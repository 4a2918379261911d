public import AuthStateKit

/// How a site signs its users in.
public struct OpenIDConfiguration: Sendable {
    /// The provider's issuer identifier.
    public var issuer: String
    /// The name under which the site is registered there.
    public var clientID: String
    /// The site's credential; it is sent to this issuer's endpoints only.
    public var credential: ClientCredential
    /// The scopes to ask for, `openid` among them.
    public var scopes: [Scope] = [.openID, .profile, .email]
    /// Deviations of the provider that are accepted.
    public var tolerances: Set<Tolerance> = []
    /// Where browsers find the site.
    public var baseURL: BaseURL
    /// The keys that seal cookies, the newest first; servers with the same keys accept each other's. Empty takes a random key:
    /// logins in progress end with the process.
    public var sealingKeys: [SealingKey] = []
    /// How long a session lasts, used or not.
    public var sessionLifetime: Duration = .seconds(12 * 3600)
    /// The paths of the routes.
    public var paths = Paths()
    /// The pages for people.
    public var pages: any OpenIDPages = PlainOpenIDPages()

    /// The paths of the routes, each with a slash at its beginning.
    public struct Paths: Sendable, Hashable {
        /// Begins a login: GET and POST, with the path to return to in `return`.
        public var login = "/login"
        /// Where the provider's answers arrive: the redirect URI.
        public var callback = "/callback"
        /// Ends a session by POST; where the browser arrives after a logout at the provider, by GET.
        public var logout = "/logout"
        /// Where the provider posts logout tokens (`backchannel_logout_uri`).
        public var backChannelLogout = "/backchannel-logout"
        /// The page for everyone: where the browser goes when there is no session to end, or one that continues.
        public var home = "/"
        /// The page after a login that names no other.
        public var afterLogin = "/"

        /// Makes the default paths.
        public init() {}
    }

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - issuer: The provider's issuer identifier.
    ///   - clientID: The name under which the site is registered there.
    ///   - credential: The site's credential.
    ///   - baseURL: Where browsers find the site.
    public init(issuer: String, clientID: String, credential: ClientCredential = .none, baseURL: BaseURL) {
        self.issuer = issuer
        self.clientID = clientID
        self.credential = credential.restricted(to: .issuer(issuer))
        self.baseURL = baseURL
    }

    /// The redirect URI, to be registered with the provider.
    public var callbackURL: String { baseURL(paths.callback) }
    /// The URI after a logout, to be registered with the provider.
    public var logoutURL: String { baseURL(paths.logout) }
    /// The URI for logout tokens, to be registered with the provider.
    public var backChannelLogoutURL: String { baseURL(paths.backChannelLogout) }
}
