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
}
