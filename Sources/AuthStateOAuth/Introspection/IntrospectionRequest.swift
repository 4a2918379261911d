public import AuthStateFoundation

/// A question to the provider about a token (RFC 7662, section 2.1).
///
/// A client asks about its own tokens. A resource server, which asks about tokens that come in, has more to check.
public typealias IntrospectionRequest = OwnTokenRequest<TokenIntrospection>

/// The purpose of asking whether a token is valid (RFC 7662).
public enum TokenIntrospection: OwnTokenPurpose {
    /// `introspection`.
    public static let name = "introspection"
    /// The token.
    public static let stage = AuthStateError.Stage.token
    /// The advice at a provider that does not offer it.
    public static let absenceHint = "Use the token: a resource that refuses it says so with a 401."
    /// The introspection endpoint.
    public static func endpoint(of configuration: ProviderConfiguration) -> URL? { configuration.introspectionEndpoint }
}
