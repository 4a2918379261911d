public import AuthStateJOSE
public import AuthStateOAuth

extension OpenIDProvider {
    /// How a provider behaves. Change it at any time with `OpenIDProvider.update(_:)`.
    public struct Configuration: Sendable {
        /// The course of a login at the authorization endpoint, where people enter a device's user code, and at a
        /// backchannel authentication.
        public enum Login: Sendable, Hashable {
            /// The user of `login_hint`, else the first one, is logged in and consents at once, without a page.
            case automatic
            /// A page with a form for name and password, to allow or to deny; where there is no page, a test has to
            /// decide.
            case page
            /// The user refuses: `access_denied`.
            case denied
        }

        /// The course of a login.
        public var login = Login.automatic
        /// The clients; registration adds to them.
        public var clients: [Client] = [.app, .service]
        /// The users.
        public var users: [User] = [.ada]
        /// Every scope that may be asked for; another one is `invalid_scope`.
        public var scopes: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access", "api"]

        /// How long access tokens last, also less than a second.
        public var accessTokenLifetime = Duration.seconds(3600)
        /// How long a refresh token lasts from its issue; nil means no expiry.
        public var refreshTokenLifetime: Duration?
        /// How long ID tokens last.
        public var idTokenLifetime = Duration.seconds(3600)
        /// How long codes last.
        public var codeLifetime = Duration.seconds(60)
        /// How long device codes last, and backchannel logins that ask for no other time.
        public var deviceCodeLifetime = Duration.seconds(600)
        /// How long a device, or a client of backchannel authentication, has to wait between two polls; polling sooner
        /// is answered with `slow_down` and adds 5 seconds.
        public var devicePollingInterval = Duration.seconds(5)
        /// Whether devices get a `verification_uri_complete`.
        public var sendsCompleteVerificationURI = true
        /// Whether a renewal rotates the refresh token.
        public var rotatesRefreshTokens = true
        /// How long a rotated refresh token may be used again; afterwards its use revokes the grant.
        public var refreshTokenGrace = Duration.zero
        /// Whether refresh tokens are issued only for the scope `offline_access`.
        public var refreshTokensNeedOfflineAccess = false
        /// Whether a renewal comes with a new ID token.
        public var renewalsIssueIDTokens = true
        /// Whether an authorization request needs PKCE with S256.
        public var requiresPKCE = true
        /// Whether authorization requests have to be pushed (RFC 9126, section 5).
        public var requiresPushedAuthorizationRequests = false
        /// How long a reference to a pushed request lasts; it is valid for one login.
        public var pushedRequestLifetime = Duration.seconds(60)
        /// Whether authorization requests have to be signed (RFC 9101, section 10.5).
        public var requiresSignedRequestObjects = false
        /// Request objects that clients publish, by their URL: the provider reads them here and fetches nothing.
        public var publishedRequestObjects: [String: String] = [:]
        /// The resources that tokens can be for (RFC 8707); nil accepts any, another one is `invalid_target`.
        public var resources: Set<String>?
        /// The types of authorization details (RFC 9396); nil accepts any, another one is
        /// `invalid_authorization_details`.
        public var authorizationDetailsTypes: Set<String>?
        /// The error that a request with `prompt=none` is refused with, for example `consent_required`; nil lets it
        /// pass.
        public var promptNoneError: String?
        /// Whether authorization responses carry `iss` (RFC 9207).
        public var sendsIssuerInAuthorizationResponse = true
        /// Whether clients may register themselves.
        public var allowsRegistration = true
        /// The token that clients need to register themselves; nil asks for none.
        public var initialAccessToken: String?
        /// Whether reading or changing a registration replaces its registration access token.
        public var rotatesRegistrationTokens = false
        /// Whether reading or changing a registration replaces the client's secret.
        public var rotatesClientSecrets = false
        /// The methods by which clients may authenticate at an endpoint, where those are fewer than the provider knows.
        public var authenticationMethods: [Endpoint: [ClientAuthenticationMethod]] = [:]
        /// How the protected resource behaves: its metadata, and the scopes that it asks for.
        public var protectedResource = ProtectedResource()
        /// The scopes that users consent to; nil grants everything that is asked for.
        public var consentedScopes: Set<String>?
        /// Metadata documents of clients, by the URL that is the client's identifier: the provider reads them here and fetches
        /// nothing.
        public var clientDocuments: [String: JSONValue] = [:]

        /// Whether client assertions have to be for the URL of the endpoint that they come to, instead of the issuer.
        public var wantsEndpointAudience = false

        /// The parties whose assertions are grants here (RFC 7523, section 2.1), or authenticate a client.
        public var assertionIssuers: [AssertionIssuer] = []
        /// The clients that may get assertions of a user's identity (ID-JAG) for another server: their identifiers there, by the
        /// server's issuer.
        public var identityAssertionClients: [String: String] = [:]

        /// Whether tokens are only issued to requests with a DPoP proof (RFC 9449); without, a proof is welcome.
        public var requiresDPoP = false
        /// How often a DPoP nonce can be used until there is a new one, at least once; nil requires none (RFC 9449,
        /// section 8).
        public var dpopNonceUses: Int?

        /// How ID tokens are signed; HS256 uses the client's secret.
        public var signingAlgorithm = SignatureAlgorithm.es256
        /// The key that the provider begins with; nil makes one.
        package var signingKey: SigningKey?
        /// Whether userinfo is a signed JWT, made with the same algorithm.
        public var signsUserInfo = false
        /// How far the provider's clock is ahead of the one it was given.
        public var clockSkew = Duration.zero
        /// The provider's deviations from the specifications.
        public var deviations = Deviations()

        /// Connections at a time; fixed when the provider starts.
        public var maximumConnections = 4096
        /// The issuer's path, for example `/tenant`; fixed when the provider starts.
        public var issuerPath = ""
        /// Whether the issuer's host is `localhost` in place of 127.0.0.1; fixed when the provider starts.
        public var isNamedLocalhost = false
        /// The file that keeps grants, tokens, registrations and keys for the next start; nil keeps them in memory; fixed when the
        /// provider starts.
        public var file: String?
        /// Gets a line for each request; called on the provider's own thread, which must not be blocked.
        public var log: (@Sendable (LogLine) -> Void)?

        /// Makes the default configuration: a public client `app`, a confidential client `service`, and the user Ada.
        public init() {}

        /// The user whose name and password a form has.
        func user(in form: Parameters) -> User? {
            users.first { $0.name == form["username"] && $0.password == form["password"] }
        }

        func client(_ id: String?) -> Client? {
            clients.last { $0.id == id }
                ?? id.flatMap { id in clientDocuments[id].flatMap { Client(document: $0, at: id) } }
        }
    }
}
