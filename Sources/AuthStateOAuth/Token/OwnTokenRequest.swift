package import AuthStateFoundation

/// A request about one of the client's own tokens, to the endpoint that serves the purpose.
///
/// `RevocationRequest` and `IntrospectionRequest` are sent in the same form.
package protocol OwnTokenRequest: Sendable {
    var client: Client { get set }
    var token: String { get }
    var tokenTypeHint: TokenTypeHint? { get }
    var additionalParameters: Parameters { get }

    /// The name of the endpoint, for people.
    static var name: String { get }
    /// The stage of its errors.
    static var stage: AuthStateError.Stage { get }
    /// The advice at a provider without the endpoint.
    static var absenceHint: String { get }
    /// The endpoint; nil at a provider without it.
    static func endpoint(of provider: ProviderConfiguration) -> URL?
}

extension OwnTokenRequest {
    /// The endpoint; throws `AuthStateError` with `.endpointMissing`.
    package var endpoint: URL {
        get throws {
            try Self.endpoint(of: client.provider).required(
                at: Self.stage, "The provider has no \(Self.name) endpoint.", hint: Self.absenceHint)
        }
    }

    /// Returns the HTTP request: a form, with the client's proof. Throws `AuthStateError` with `.endpointMissing`, or
    /// `.invalidArgument` when an additional parameter would replace one of the request's.
    package func transportRequest(authentication: ClientAuthentication) throws -> TransportRequest {
        var form: Parameters = ["token": token]
        form["token_type_hint"] = tokenTypeHint?.rawValue
        return try TransportRequest(
            posting: form, additional: additionalParameters, to: endpoint, authentication: authentication,
            stage: Self.stage)
    }

    package var redactedDescription: String { "\(Self.name) request of \(client.id)" }
}

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
