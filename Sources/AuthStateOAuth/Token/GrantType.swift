/// A grant type (RFC 6749, section 4).
public struct GrantType: RawRepresentable, Sendable, Hashable, Codable {
    /// The parameter's value.
    public let rawValue: String
    /// Makes a grant type.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A code from the authorization endpoint.
    public static let authorizationCode = GrantType(rawValue: "authorization_code")
    /// A refresh token.
    public static let refreshToken = GrantType(rawValue: "refresh_token")
    /// The client's own credentials.
    public static let clientCredentials = GrantType(rawValue: "client_credentials")
    /// A code that a user confirms on another device (RFC 8628, section 3.4).
    public static let deviceCode = GrantType(rawValue: "urn:ietf:params:oauth:grant-type:device_code")
    /// CIBA, backchannel authentication: the provider itself asks the user (OpenID Connect CIBA Core 1.0, section 4).
    public static let ciba = GrantType(rawValue: "urn:openid:params:grant-type:ciba")
    /// A signed assertion (RFC 7523, section 2.1).
    public static let jwtBearer = GrantType(rawValue: "urn:ietf:params:oauth:grant-type:jwt-bearer")
    /// One token for another (RFC 8693, section 2.1).
    public static let tokenExchange = GrantType(rawValue: "urn:ietf:params:oauth:grant-type:token-exchange")
}
