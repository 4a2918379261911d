public import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
import AuthStateServer

extension ResourceAccess {
    /// The options of an access.
    public struct Options: Sendable {
        /// The scopes to ask for; nil asks for those of the challenge, else for those that the resource lists.
        public var scopes: [Scope]?
        /// The redirect URI of known clients and of those with a document; nil leaves it to the user agent.
        public var redirectURI: RedirectURI?
        /// The deviations of the resource and of its authorization server that are accepted, `.parentResource` and
        /// `.unnamedResource` among them.
        public var tolerances: Set<Tolerance> = []
        /// Whether tokens are bound to a DPoP key although the resource does not require it.
        public var usesDPoP = false
        /// Whether the next login of a client that registers itself registers anew: where a server has forgotten the client, its
        /// page may say so to the user alone.
        public var registersAnew = false
        /// The number of logins for more rights that one operation may lead to; 0 reports the first `.insufficientScope`.
        public var maximumStepUps = 2
        /// The longest time to wait for a login that another process with the same store and key makes, until
        /// `.storeLocked`; the store's clock measures it.
        public var maximumLoginWait: Duration = .seconds(600)
        /// Called when a login begins to wait for that of another process.
        public var onWaitingForLogin: (@Sendable () -> Void)?
        /// Chooses one of several authorization servers; nil, and a nil answer, take the first. The one that the stored login
        /// belongs to is not asked about.
        public var chooseServer: (@Sendable ([Issuer]) -> Issuer?)?
        /// The keys whose signatures of the resource's metadata count, by issuer (RFC 9728, section 2.2): with some, the
        /// signed form is required; empty leaves it unread.
        public var signedMetadataKeys: [String: JSONWebKeySet] = [:]
        /// Whether a login that replaces one has to be of the same account.
        public var account = AccountComparison.byIDToken(otherwise: true)
        /// Values that the program keeps with the state, see `AuthState.Record.annotations`. The names `userinfo`, `resource`
        /// and `scopes not granted` are reserved.
        public var annotations: [String: String] = [:]
        /// A last change of each authorization request, for example its languages.
        public var prepare: @Sendable (inout AuthorizationRequest) -> Void = { _ in }

        /// Makes the default options.
        public init() {}
    }
}
