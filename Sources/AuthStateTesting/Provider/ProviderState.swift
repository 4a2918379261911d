import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// The whole state of a provider; every answer is decided by a function of this value and a request.
struct ProviderState: Sendable {
    typealias Client = OpenIDProvider.Client
    typealias Request = OpenIDProvider.Request
    typealias User = OpenIDProvider.User

    var issuer = ""
    /// The provider's time at the request that it answers, in seconds since 1970.
    var now: Double = 0
    /// How the provider behaves without troubles.
    var base: OpenIDProvider.Configuration { didSet { configuration = troubled } }
    /// What goes wrong.
    var troubles: Set<OpenIDProvider.Trouble> = [] { didSet { configuration = troubled } }
    /// How the provider behaves.
    private(set) var configuration: OpenIDProvider.Configuration
    var grants: [String: Grant] = [:]
    var codes: [String: Code] = [:]
    var accessTokens: [String: AccessToken] = [:]
    var refreshTokens: [String: RefreshToken] = [:]
    /// Clients that registered themselves, by identifier.
    var registrations: [String: Registration] = [:]
    /// Logins that a user confirms elsewhere, by the code that their tokens are requested with.
    var pendingLogins: [String: PendingLogin] = [:]
    /// Pushed authorization requests that no login has used yet, by `request_uri`.
    var pushedRequests: [String: PushedRequest] = [:]
    /// When the used client assertions expire, by client and `jti`.
    var usedAssertions: [String: Double] = [:]
    /// Proofs of keys that tokens are bound to.
    var proofs = Proofs()
    var statistics = OpenIDProvider.Statistics()
    var requests: [OpenIDProvider.Endpoint: [Request]] = [:]
    /// How many valid access tokens to refuse, and with which challenge.
    var rejections: (remaining: Int, challenge: String?) = (0, nil)

    /// Users who are logged in, by the cookie of their browser.
    var browsers: [String: BrowserSession] = [:]
    /// Sessions of clients that have been told of their end.
    var toldSessions: Set<String> = []
    /// The newest requests, the last one last.
    var log: [OpenIDProvider.LogLine] = []

    /// The keys that sign, and those that signed before.
    let keys: ProviderKeys

    init(configuration: OpenIDProvider.Configuration, keys: ProviderKeys) {
        (base, self.configuration, self.keys) = (configuration, configuration, keys)
    }

    /// What goes wrong, in an order that does not change.
    var activeTroubles: [OpenIDProvider.Trouble] { OpenIDProvider.Trouble.allCases.filter(troubles.contains) }

    private var troubled: OpenIDProvider.Configuration {
        var configuration = base
        for trouble in activeTroubles { trouble.apply(to: &configuration) }
        return configuration
    }

    /// The access that one user granted one client in one login.
    struct Grant: Sendable {
        var clientID: String
        var user: User
        var scopes: [String]
        var nonce: String?
        /// Claims that were asked for one by one.
        var requestedClaims = RequestedClaims()
        /// The resources of the tokens; empty means any.
        var resources: [String] = []
        /// The access that was granted in detail (RFC 9396).
        var authorizationDetails: [AuthorizationDetail] = []
        var authenticatedAt: Double
        var sessionID: String
        var isRevoked = false
    }

    /// A user's login in a browser, which the next client need not ask for again.
    struct BrowserSession: Sendable {
        var user: User
        var authenticatedAt: Double
        /// `sid` of the ID tokens of all clients that the user logs in to from this browser.
        var sessionID: String
        /// What the forms of this session carry.
        var formToken: String
    }

    struct Code: Sendable {
        var grant: String
        /// As it was in the authorization request.
        var redirectURI: String
        var challenge: String?
        /// The thumbprint of the key that it is bound to, `dpop_jkt` (RFC 9449, section 10).
        var key: String?
        var expiresAt: Double
        var isRedeemed = false
    }

    struct AccessToken: Sendable, Codable {
        /// Nil for a token that a client asked for in its own name.
        var grant: String?
        var clientID: String
        var scopes: [String]
        /// The resources of the token; empty means any.
        var resources: [String] = []
        /// The thumbprint of the key that it is bound to; nil for a bearer token.
        var key: String?
        var expiresAt: Double
    }

    struct RefreshToken: Sendable, Codable {
        var grant: String
        /// The thumbprint of the key that it is bound to, for a public client (RFC 9449, section 5).
        var key: String?
        var expiresAt: Double
        var spentAt: Double?
    }

    struct PushedRequest: Sendable {
        var clientID: String
        var parameters: Parameters
        var expiresAt: Double
    }

    mutating func note(_ request: Request) {
        statistics.requests[request.endpoint, default: 0] += 1
        if request.endpoint == .token, request.parameters["grant_type"] == "refresh_token" {
            statistics.refreshRequests += 1
        }
        var newest = requests[request.endpoint] ?? []
        if newest.count == 100 { newest.removeFirst() }
        requests[request.endpoint] = newest + [request]
    }

    mutating func decide(_ request: Request) -> ProviderDecision {
        do throws(ProviderRefusal) {
            if let type = request.foreignType {
                throw .invalidRequest("The body has to be application/x-www-form-urlencoded, not \(type).")
            }
            guard request.isWellFormed else { throw .invalidRequest("A parameter is malformed, or comes twice.") }
            switch request.endpoint {
            case .discovery, .metadata: return .metadata(metadata, at: request.endpoint)
            case .webFinger: return .webFinger(try webFinger(request))
            case .keySet: return .keySet
            case .authorization: return try authorize(request)
            case .pushedAuthorization: return .response(try push(request))
            case .token: return try token(request)
            case .userInfo: return try userInfo(request)
            case .resource: return .response(try resource(request))
            case .resourceMetadata, .rootResourceMetadata, .namedResourceMetadata:
                return .response(try resourceMetadata(at: request.endpoint))
            case .endSession: return try endSession(request)
            case .revocation: return .response(try revoke(request))
            case .introspection: return .response(try introspect(request))
            case .registration: return .response(try register(request))
            case .clientConfiguration: return .response(try configure(request))
            case .deviceAuthorization: return .deviceAuthorization(try authorizeDevice(request))
            case .backchannelAuthentication:
                return .backchannelAuthentication(try authenticateBackchannel(request))
            case .deviceVerification: return .response(try verifyDevice(request))
            case .home: return .response(home(request))
            }
        } catch {
            return .response(completed(error, of: request).response)
        }
    }

    /// Makes the keys of a client's algorithms ready.
    func prepareKeys(for client: Client) {
        for case let algorithm? in [client.idTokenAlgorithm, client.userInfoAlgorithm] { try? keys.prepare(algorithm) }
    }

    /// A new secret. Expired entries are removed now and then, so that a long demonstration does not grow.
    mutating func newToken() -> String {
        if accessTokens.count >= 20_000 { accessTokens = accessTokens.filter { $0.value.expiresAt > now } }
        if codes.count >= 20_000 { codes = codes.filter { $0.value.expiresAt > now } }
        return Base64URL.encode(SecureRandom.bytes(24))
    }
}
