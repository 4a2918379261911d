/// The kind of a token that is exchanged (RFC 8693, section 3).
public struct TokenTypeIdentifier: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The identifier.
    public let rawValue: String
    /// Makes an identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The identifier.
    public var description: String { rawValue }

    /// An access token of the provider that receives the request, in any format.
    public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// A refresh token of the provider that receives the request.
    public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token.
    public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// Any JWT, for example an access token of another provider.
    public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
    /// A SAML 1.1 assertion in base64url.
    public static let saml1 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml1")
    /// A SAML 2.0 assertion in base64url.
    public static let saml2 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml2")
    /// An assertion of a user's identity for another authorization server (ID-JAG, draft-ietf-oauth-identity-assertion-authz-grant).
    public static let identityAssertion = Self(rawValue: "urn:ietf:params:oauth:token-type:id-jag")
}
