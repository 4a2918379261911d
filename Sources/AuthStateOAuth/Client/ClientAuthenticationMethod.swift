/// How a client proves who it is at the token endpoint (OpenID Connect Core, section 9).
public struct ClientAuthenticationMethod: RawRepresentable, Sendable, Hashable, Codable {
    /// The registered name.
    public let rawValue: String
    /// Makes a method.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A public client: `client_id` in the body and no proof.
    public static let none = ClientAuthenticationMethod(rawValue: "none")
    /// HTTP Basic, identifier and secret each form-encoded (RFC 6749, section 2.3.1).
    public static let clientSecretBasic = ClientAuthenticationMethod(rawValue: "client_secret_basic")
    /// The secret in the body.
    public static let clientSecretPost = ClientAuthenticationMethod(rawValue: "client_secret_post")
}
