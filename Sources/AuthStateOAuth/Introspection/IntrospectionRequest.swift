package import AuthStateFoundation
public import AuthStateJOSE

/// A question to the provider about a token (RFC 7662, section 2.1).
///
/// A client asks about its own tokens. A resource server, which asks about tokens that come in, has more to check.
public struct IntrospectionRequest: Sendable, Hashable, OwnTokenRequest, Redacted {
    /// The client that the token was issued to and that sends the request.
    public var client: Client
    /// The token.
    public var token: String
    /// The kind of token; nil leaves it to the provider to find out.
    public var tokenTypeHint: TokenTypeHint?
    /// Additional parameters that the provider understands.
    public var additionalParameters: Parameters = [:]

    /// Makes a request.
    public init(_ client: Client, token: String, tokenTypeHint: TokenTypeHint? = nil) {
        self.client = client
        self.token = token
        self.tokenTypeHint = tokenTypeHint
    }

    package static let name = "introspection"
    package static let stage = AuthStateError.Stage.token
    package static let absenceHint = "Use the token: a resource that refuses it says so with a 401."
    package static func endpoint(of provider: ProviderConfiguration) -> URL? { provider.introspectionEndpoint }

    /// The client; the token stays secret.
    public var description: String { redactedDescription }
}
