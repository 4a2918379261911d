/// How a client authenticates at the token endpoint (OpenID Connect Core, section 9).
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
    /// An assertion signed with the secret, which itself is not sent (RFC 7523, section 2.2).
    public static let clientSecretJWT = ClientAuthenticationMethod(rawValue: "client_secret_jwt")
    /// An assertion signed with a private key, whose public key the provider has (RFC 7523, section 2.2).
    public static let privateKeyJWT = ClientAuthenticationMethod(rawValue: "private_key_jwt")
    /// An assertion that SPIFFE signs for the workload, a JWT-SVID (draft-ietf-oauth-spiffe-client-auth, section 3.1).
    public static let spiffeJWT = ClientAuthenticationMethod(rawValue: "spiffe_jwt")
    /// The certificate of the TLS connection, from an authority that the provider trusts (RFC 8705, section 2.1).
    public static let tlsClientAuth = ClientAuthenticationMethod(rawValue: "tls_client_auth")
    /// The certificate of the TLS connection, whose key the client is registered with (RFC 8705, section 2.2).
    public static let selfSignedTLSClientAuth = ClientAuthenticationMethod(rawValue: "self_signed_tls_client_auth")

    /// Whether the proof is the connection's certificate, which is the transport's.
    package var usesCertificate: Bool { self == .tlsClientAuth || self == .selfSignedTLSClientAuth }
    /// Whether the proof is the client's own, and nothing that the provider issues.
    package var usesOwnProof: Bool { self == .privateKeyJWT || self == .spiffeJWT || usesCertificate }
    /// Whether the proof is an assertion, which is signed for one request, or for this provider.
    package var signsAssertions: Bool { self == .clientSecretJWT || self == .privateKeyJWT || self == .spiffeJWT }
}
