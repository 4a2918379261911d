public import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

/// Tokens at one moment: immutable, and as cheap to pass around as one reference.
public struct Tokens: Sendable {
    /// The values, shared by all copies.
    final class Storage: Sendable {
        // First what a pool's lookup reads, last what has no whole words: 144 bytes with the allocator's.
        /// In seconds since 1970.
        let freshUntil: Double
        let accessToken: String
        let tokenType: String
        let idToken: String?
        let scope: String?
        let authorizationDetails: [AuthorizationDetail]?
        let issuedAt: Date
        /// In seconds since the reference date of `Date`, which it is exact in; infinite when the provider did not say.
        private let expiry: Double
        /// The maker of the proofs that are sent with the access token; nil for bearer tokens.
        let dpop: DPoPBinding?
        let policy: BearerPolicy
        let idTokenTrust: IDTokenTrust?

        var expirationDate: Date? { expiry == .infinity ? nil : Date(timeIntervalSinceReferenceDate: expiry) }

        init(
            _ response: TokenResponse, idToken: String?, idTokenTrust: IDTokenTrust?, scope: String?,
            authorizationDetails: [AuthorizationDetail]?, freshUntil: Double, policy: BearerPolicy, dpop: DPoPBinding?
        ) {
            (accessToken, tokenType) = (response.accessToken, response.tokenType)
            (self.idToken, self.idTokenTrust) = (idToken, idTokenTrust)
            (self.scope, self.authorizationDetails) = (scope, authorizationDetails)
            issuedAt = response.issuedAt
            expiry = response.accessTokenExpirationDate?.timeIntervalSinceReferenceDate ?? .infinity
            (self.freshUntil, self.policy) = (freshUntil, policy)
            self.dpop = response.isBoundToKey ? dpop : nil
        }

        /// Copies tokens with another maker of proofs.
        init(_ other: Storage, dpop: DPoPBinding) {
            (accessToken, tokenType) = (other.accessToken, other.tokenType)
            (idToken, idTokenTrust) = (other.idToken, other.idTokenTrust)
            (scope, authorizationDetails) = (other.scope, other.authorizationDetails)
            (issuedAt, expiry) = (other.issuedAt, other.expiry)
            (freshUntil, policy) = (other.freshUntil, other.policy)
            self.dpop = dpop
        }
    }

    let storage: Storage

    /// The error of a token that is not for resources (`N_A`, RFC 8693), or whose key is gone.
    private var unsendable: AuthStateError {
        AuthStateError(
            .unsupportedTokenType, stage: .resource, "The token cannot be sent to a resource.",
            expected: "a bearer token, or a DPoP token and the state's key", received: storage.tokenType.printable(100),
            hint: "Exchange for an access token, and use it while the login lasts that it came of.")
    }

    /// The access token.
    public var accessToken: String { storage.accessToken }
    /// The last ID token that was verified; for its claims and as `id_token_hint`, not for access.
    public var idToken: String? { storage.idToken }
    /// The proof by which that ID token was accepted; nil when it came from outside.
    public var idTokenTrust: IDTokenTrust? { storage.idTokenTrust }
    /// The scope of the access token, as far as the provider said it.
    public var scope: String? { storage.scope }
    /// The authorization details of the access token (RFC 9396, section 7), as far as the provider said them.
    public var authorizationDetails: [AuthorizationDetail]? { storage.authorizationDetails }
    /// The time at which the access token expires; nil when the provider did not say.
    public var accessTokenExpirationDate: Date? { storage.expirationDate }

    /// The whole time for which the provider issued the access token; nil when the provider did not say.
    ///
    /// A lifetime shorter than the `validFor` of a call means that no renewal gives tokens that are valid for so long.
    public var lifetime: Duration? { storage.lifetime.map { Duration(boundedSeconds: $0) } }

    /// Whether the access token is bound to a key, and every request with it needs a proof (RFC 9449).
    public var isDPoPBound: Bool { storage.dpop != nil }

    /// Returns the header fields that authorize one request: `Authorization`, and `DPoP` for a token that is bound to a
    /// key.
    ///
    /// The proof of a bound token is for this method, compared case-sensitively, and URL and for one request: call this
    /// again to send the request again.
    ///
    /// - Throws: `AuthStateError` with `.insecureURL` when the token must not go to this URL, `.credentialUnavailable` when
    ///   the key that it is bound to cannot be read, `.unsupportedTokenType` when it is neither a bearer token nor one that is
    ///   bound to the state's key.
    public func authorizationHeaders(method: TransportRequest.Method, url: URL) throws -> TransportHeaders {
        try storage.policy.check(url)
        guard let dpop = storage.dpop else {
            guard storage.tokenType.equalsIgnoringASCIICase("Bearer") else { throw unsendable }
            return ["Authorization": "Bearer \(storage.accessToken)"]
        }
        return [
            "Authorization": "DPoP \(storage.accessToken)",
            "DPoP": try dpop.proof(method, url, accessToken: storage.accessToken, stage: .resource),
        ]
    }

    /// Records the nonce that an answer brings for the next proof (RFC 9449, section 8.2); has no effect for bearer
    /// tokens.
    ///
    /// `performAction` and `userInfo` do it themselves. Call it for each answer that an HTTP client of your own gets,
    /// regardless of its status.
    public func recordNonce(from headers: TransportHeaders, of url: URL) {
        storage.dpop?.recordNonce(from: headers, of: url)
    }

    /// Returns the same tokens, whose next proof has the nonce that an answer asked for.
    func answering(_ nonce: String, of url: URL) -> Tokens {
        storage.dpop.map { Tokens(storage: Storage(storage, dpop: $0.answering(nonce, of: url))) } ?? self
    }
}

extension TokenResponse {
    /// Whether the access token is bound to a DPoP key (RFC 9449, section 5).
    var isBoundToKey: Bool { tokenType.equalsIgnoringASCIICase("DPoP") }
}

extension Tokens: Redacted {
    /// Scope and expiry, never a token.
    public var description: String {
        "tokens, scope \((scope ?? "unknown").printable()), expiring \(accessTokenExpirationDate.map { "\($0)" } ?? "never")"
    }
}

/// The rules of where a bearer token may be sent (RFC 6750, section 5.3).
struct BearerPolicy: Sendable, Hashable {
    /// Origins such as `https://api.example`; nil allows all.
    var allowedOrigins: Set<String>?
    /// Whether http to loopback is allowed, which it is when the issuer itself is there.
    var allowsLoopbackHTTP: Bool
    /// Whether http to anywhere is allowed.
    var allowsInsecureHTTP: Bool

    init(allowsLoopbackHTTP: Bool, allowsInsecureHTTP: Bool, allowedOrigins: Set<String>? = nil) {
        self.allowedOrigins = allowedOrigins
        (self.allowsLoopbackHTTP, self.allowsInsecureHTTP) = (allowsLoopbackHTTP, allowsInsecureHTTP)
    }

    func check(_ url: URL) throws {
        let parts = URIReference(url.absoluteString)
        let isHTTP = parts.hasScheme("http")
        let isProtected =
            parts.hasScheme("https") || isHTTP && (allowsInsecureHTTP || allowsLoopbackHTTP && parts.isLoopback)
        guard TrustCheck.bearerTransport.holds(isProtected) else {
            throw AuthStateError(
                .insecureURL, stage: .resource, "The access token must not travel over this URL.", expected: "https",
                received: url.redactedDescription,
                hint: "Use https; http is for loopback with a loopback issuer.")
        }
        guard let allowedOrigins else { return }
        let origin = parts.origin
        guard
            TrustCheck.bearerOrigin.holds(allowedOrigins.contains { URIReference($0).origin == origin })
        else {
            throw AuthStateError(
                .insecureURL, stage: .resource, "The access token must not go to this origin.",
                expected: allowedOrigins.sorted().joined(separator: ", "), received: origin,
                hint: "Log in for that origin, or add it to allowedOrigins if the token is for it.")
        }
    }
}
