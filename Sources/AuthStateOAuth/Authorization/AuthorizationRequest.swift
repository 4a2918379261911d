public import AuthStateJOSE

/// A request to the authorization endpoint (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1).
///
/// `state`, `nonce` and the PKCE verifier are 32 random bytes each, made anew for every request. A value is used for one
/// login: make a new request for the next.
public struct AuthorizationRequest: Sendable, Hashable, Codable, Redacted {
    /// The client that asks, and its provider.
    public var client: Client {
        get { ownClient ?? .unknown }
        set { ownClient = newValue }
    }
    /// Nil only within an archived state, which has the client itself.
    private var ownClient: Client?
    /// Where the answer goes; nil lets the user agent choose.
    public var redirectURI: RedirectURI?
    /// The scopes to ask for, in order; with `openid` an ID token is required.
    public var scopes: [Scope]
    /// The response type that the authorization endpoint is asked for.
    public var responseType: ResponseType = .code
    /// How it answers; nil leaves it to the response type.
    public var responseMode: ResponseMode?
    /// Ties the answer to this request.
    public var state: String
    /// Ties the ID token to this request; nil leaves it out.
    public var nonce: String?
    /// Ties the code to this process (PKCE).
    public var codeVerifier: CodeVerifier
    /// The actions that the provider asks of the user, for example to log in again.
    ///
    /// Left empty, `consent` is asked for with the scope `offline_access`; see ``asksConsentForOfflineAccess``.
    public var prompt: [Prompt] = []
    /// Whether `prompt=consent` goes along with the scopes `openid offline_access` when `prompt` is empty (OpenID Connect
    /// Core, section 11); nil does so when the provider's metadata list that prompt.
    public var asksConsentForOfflineAccess: Bool?
    /// A hint at the account that is likely to log in.
    public var loginHint: String?
    /// The oldest login that will do, in seconds; the ID token's `auth_time` is held to it.
    public var maxAge: Int?
    /// Languages for the provider's pages, best first.
    public var uiLocales: [String] = []
    /// Authentication context classes, best first.
    public var acrValues: [String] = []
    /// How the provider shall show its pages: page, popup, touch or wap.
    public var display: String?
    /// An ID token of the expected user.
    public var idTokenHint: String?
    /// Single claims to ask for (OpenID Connect Core, section 5.5).
    public var claims: JSONValue?
    /// The resources that the tokens shall be for, absolute URIs (RFC 8707, section 2.1).
    public var resources: [String] {
        get { ownResources ?? [] }
        set { ownResources = newValue.isEmpty ? nil : newValue }
    }
    /// Optional, so that archives from before there were resources can be read.
    private var ownResources: [String]?
    /// The access that is asked for in detail (RFC 9396, section 3), beside the scopes or instead of them.
    public var authorizationDetails: [AuthorizationDetail] {
        get { ownDetails ?? [] }
        set { ownDetails = newValue.isEmpty ? nil : newValue }
    }
    /// Optional, so that archives from before there were details can be read.
    private var ownDetails: [AuthorizationDetail]?
    /// The key that the code and the tokens shall be bound to (RFC 9449, section 10); nil asks for bearer tokens.
    ///
    /// It is kept with a pending login, and with the state that comes of it.
    public var dpopKey: DPoPKey?
    /// Whether the parameters go to the provider directly, and the browser only carries a reference (RFC 9126); nil does
    /// so when the provider's metadata require it.
    public var isPushed: Bool?
    /// The key or secret that signs the request as a whole (RFC 9101): a private key, or the client's secret for HS256.
    ///
    /// Nil signs only when the provider's metadata require it, with the credential that the client proves itself by.
    public var signingCredential: ClientCredential?
    /// Where the client itself publishes this request as a signed object (RFC 9101, section 5.2), an https URL; the
    /// browser carries this reference instead of the parameters. See `RequestObject`.
    public var requestURI: String?
    /// Whether tokens without an ID token are a login, of a user who is not known: the scope `openid` is the resource's wish,
    /// and not the program's.
    package var mayLackIDToken: Bool {
        get { lacksIDToken ?? false }
        set { lacksIDToken = newValue ? true : nil }
    }
    /// Optional, so that archives from before can be read.
    private var lacksIDToken: Bool?
    /// Additional parameters that the provider understands; names that this type sets itself are refused.
    public var additionalParameters: Parameters = [:]

    /// Makes a request with a new state, nonce and verifier.
    public init(_ client: Client, scopes: [Scope] = [.openID], redirectURI: RedirectURI? = nil) {
        ownClient = client
        self.scopes = scopes
        self.redirectURI = redirectURI
        state = RandomText.make()
        nonce = scopes.contains(.openID) ? RandomText.make() : nil
        codeVerifier = CodeVerifier()
    }

    /// Whether the request has its client; an archived one may lack it.
    package var hasClient: Bool { ownClient != nil }

    /// The same request without its client, for a state that has the client itself.
    package var withoutClient: AuthorizationRequest {
        var request = self
        request.ownClient = nil
        return request
    }

    /// The same request with a new state, nonce and verifier, for another login.
    ///
    /// `requestURI` is left out: the object published there has the state of this request.
    package func renewed() -> AuthorizationRequest {
        var request = self
        request.state = RandomText.make()
        request.nonce = nonce.map { _ in RandomText.make() }
        request.codeVerifier = CodeVerifier()
        request.requestURI = nil
        return request
    }

    /// A response type (OAuth 2.0 Multiple Response Types); only those that come with a code are supported.
    public struct ResponseType: RawRepresentable, Sendable, Hashable, Codable {
        /// The parameter's value.
        public let rawValue: String
        /// Makes a response type.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A code, exchanged for tokens at the token endpoint.
        public static let code = ResponseType(rawValue: "code")
        /// A code and a first ID token (hybrid flow); the answer comes in the fragment.
        public static let codeIDToken = ResponseType(rawValue: "code id_token")

        /// The same set of words in any order is the same type.
        var words: Set<Substring> { Set(rawValue.split(separator: " ")) }
        var includesIDToken: Bool { words.contains("id_token") }
        var isSupported: Bool { words == Self.code.words || words == Self.codeIDToken.words }
    }

    /// An action that the provider asks of the user.
    public typealias Prompt = AuthorizationPrompt

    /// Authentication context classes that `claims` makes essential for the ID token (OpenID Connect Core, section 5.5.1.1).
    package var essentialContextClasses: Set<String> {
        guard let acr = claims?["id_token"]?["acr"], acr["essential"]?.boolValue == true else { return [] }
        let values = acr["values"]?.arrayValue ?? acr["value"].map { [$0] } ?? []
        return Set(values.compactMap(\.stringValue))
    }

    package var isOpenID: Bool { scopes.contains(.openID) || responseType.includesIDToken }
    /// Whether the answer must lead to an ID token.
    package var needsIDToken: Bool { isOpenID && !(mayLackIDToken && !responseType.includesIDToken) }

    /// Whether nothing depends on an ID token: neither an identity, nor when and how the user logged in.
    package var asksNoIdentity: Bool {
        let policy = client.provider.idTokenPolicy
        return !isOpenID && nonce == nil && maxAge == nil && essentialContextClasses.isEmpty
            && policy.contextClasses.isEmpty && !policy.requiresAccessTokenHash && policy.trustedAudiences == nil
    }

    /// Client, scopes and endpoint; state, nonce and verifier stay secret.
    public var description: String {
        "authorization request of \(client.id) for \(scopes.map(\.rawValue).joined(separator: " "))"
    }
}
