/// A hint at the kind of a token, so that the provider finds it faster (RFC 7009, section 2.1).
public struct TokenTypeHint: RawRepresentable, Sendable, Hashable {
    /// The parameter's value.
    public let rawValue: String
    /// Makes a hint.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// An access token.
    public static let accessToken = TokenTypeHint(rawValue: "access_token")
    /// A refresh token; most providers revoke the whole grant with it.
    public static let refreshToken = TokenTypeHint(rawValue: "refresh_token")
}
