public import AuthStateFoundation
public import AuthStateJOSE

/// The values that an ID token has to match.
public struct IDTokenExpectation: Sendable, Redacted {
    /// The issuer, exactly.
    public var issuer: Issuer
    /// The template that `iss` has to fit instead, filled with the token's own `tid` (`Tolerance.tenantIssuer`).
    package var tenantIssuer: TenantIssuer?
    /// The client that the token must be for.
    public var clientID: String
    /// The rules for this client's tokens.
    public var policy = IDTokenPolicy()
    /// The client's secret: the key of the algorithms that share one.
    public var clientSecret: String?
    /// Whether that secret may be shorter than the hash of the algorithm, see `Tolerance.shortSecret`.
    package var toleratesShortSecret = false
    /// Whether a logout token may lack `exp`, see `Tolerance.missingLogoutExpiry`.
    package var toleratesMissingLogoutExpiry = false
    /// The request's nonce; nil when none was sent.
    public var nonce: String?
    /// Whether a token from the token endpoint may come without the nonce (`Tolerance.missingNonce`).
    package var mayOmitNonce = false
    /// The access token that came along, for `at_hash`.
    public var accessToken: String?
    /// The code that came along in the front channel (hybrid flow): `c_hash` is then required.
    public var code: String?
    /// The front-channel ID token of the same login, whose subject must be the same (hybrid flow).
    package var frontChannel: IDToken?
    /// The oldest acceptable login, in seconds; `auth_time` is then required.
    public var maxAge: Int?
    /// Authentication context classes of the request's own, one of which `acr` must be; empty leaves it open.
    public var contextClasses: Set<String> = []
    /// The ID token that a renewed one continues (OpenID Connect Core, section 12.2); nil at login.
    public var previous: IDToken?
    /// Whether a renewed token has to repeat the `auth_time` of `previous`: the login asked for `max_age`.
    package var keepsAuthenticationTime = false
    /// Whether a renewed token may have another `aud` or `azp`, see `Tolerance.changedAudience`.
    package var toleratesChangedAudience = false
    /// The current time.
    public var now: Date

    /// Makes an expectation.
    public init(issuer: Issuer, clientID: String, now: Date) {
        self.issuer = issuer
        self.clientID = clientID
        self.now = now
    }

    /// The client's secret as the key of an algorithm; nil without a secret. Throws `JOSEError` with `keyMismatch` when
    /// it is too short for the algorithm and that is not tolerated.
    package func sharedKey(for algorithm: SignatureAlgorithm) throws(JOSEError) -> VerificationKey? {
        guard let clientSecret else { return nil }
        let key = JSONWebKey(secret: clientSecret.utf8)
        try key.checkLength(for: algorithm, isTolerated: toleratesShortSecret)
        return VerificationKey(key)
    }

    /// Whether the token comes through the browser.
    var isFrontChannel: Bool { code != nil }
    /// Whether it is one of the two ID tokens of a hybrid login.
    var isHybrid: Bool { isFrontChannel || frontChannel != nil }
    /// Issuer and client; nonce, secret and access token stay secret.
    public var description: String { "ID token of \(issuer) for \(clientID)" }
}
