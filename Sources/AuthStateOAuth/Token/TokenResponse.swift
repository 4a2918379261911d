public import AuthStateFoundation
public import AuthStateJOSE

/// A successful answer of the token endpoint (RFC 6749, section 5.1).
public struct TokenResponse: Sendable, Hashable, Codable, Redacted {
    /// The access token.
    public var accessToken: String
    /// How it is used, as the provider wrote it, for example `Bearer`.
    public var tokenType: String
    /// When the request was sent; lifetimes count from here.
    public var issuedAt: Date
    /// The (new) refresh token, when there is one.
    public var refreshToken: String?
    /// The ID token, when there is one. The sender of the request verifies it.
    public var idToken: String?
    /// The granted scope, when the provider named it.
    public var scope: String?
    /// The granted access in detail (RFC 9396, section 7), maybe other than requested; nil when the provider did not
    /// say.
    public var authorizationDetails: [AuthorizationDetail]?
    /// Members that the specification does not name.
    public var additionalMembers: [String: JSONValue]
    // Last, because they are not whole words: a state of a pool takes 16 bytes less.
    /// When the access token expires; nil when the provider did not say.
    public var accessTokenExpirationDate: Date?
    /// The proof by which the ID token was accepted; nil while it is not verified.
    public var idTokenTrust: IDTokenTrust?

    /// The response as if it had come without an ID token.
    package var withoutIDToken: TokenResponse {
        var copy = self
        (copy.idToken, copy.idTokenTrust) = (nil, nil)
        return copy
    }

    /// Makes a response, for example from a provider's own library.
    public init(
        accessToken: String, tokenType: String = "Bearer", issuedAt: Date, accessTokenExpirationDate: Date? = nil,
        refreshToken: String? = nil, idToken: String? = nil, scope: String? = nil,
        authorizationDetails: [AuthorizationDetail]? = nil, additionalMembers: [String: JSONValue] = [:]
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.issuedAt = issuedAt
        self.accessTokenExpirationDate = accessTokenExpirationDate
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
        self.authorizationDetails = authorizationDetails
        self.additionalMembers = additionalMembers
    }

    /// Type, scope and expiry; tokens stay secret.
    public var description: String {
        "\(tokenType.printable(40)) token, scope \((scope ?? "as asked for").printable()), "
            + "expires \(accessTokenExpirationDate.map { "\($0)" } ?? "unknown"), "
            + "\(refreshToken == nil ? "without" : "with") refresh token"
    }

    /// The scopes that were granted and not asked for, in order; empty when nothing is known of either.
    package func scopes(beyond requested: String?) -> [Scope] {
        guard let scope, let requested else { return [] }
        let asked = Set(requested.split(separator: " "))
        return scope.split(separator: " ").filter { !asked.contains($0) }.map { Scope(rawValue: String($0)) }
    }
}
