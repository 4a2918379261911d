public import AuthStateFoundation
public import AuthStateJOSE

/// A request about one token of the client's own, to the endpoint that serves the purpose: see `RevocationRequest` and
/// `IntrospectionRequest`, which travel in the same form.
public struct OwnTokenRequest<Purpose: OwnTokenPurpose>: Sendable, Hashable {
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

    /// Where it goes; throws `AuthStateError` with `.endpointMissing`.
    package var endpoint: URL {
        get throws {
            guard let endpoint = Purpose.endpoint(of: client.provider) else {
                throw AuthStateError(
                    .endpointMissing, stage: Purpose.stage, "The provider has no \(Purpose.name) endpoint.",
                    hint: Purpose.absenceHint)
            }
            return endpoint
        }
    }

    /// The HTTP request: a form, with the client's proof.
    ///
    /// - Throws: `AuthStateError` with `.endpointMissing`, or `.invalidArgument` when an additional parameter would replace
    ///   one of the request's.
    public func transportRequest(authentication: ClientAuthentication) throws -> TransportRequest {
        var form: Parameters = ["token": token]
        form["token_type_hint"] = tokenTypeHint?.rawValue
        return try TransportRequest(
            posting: form, additional: additionalParameters, to: endpoint, authentication: authentication,
            stage: Purpose.stage)
    }
}

/// The purpose for which a client sends one of its own tokens.
public protocol OwnTokenPurpose: Sendable {
    /// Its name, for people.
    static var name: String { get }
    /// The stage of its errors.
    static var stage: AuthStateError.Stage { get }
    /// The advice at a provider that does not offer it.
    static var absenceHint: String { get }

    /// The endpoint where the provider offers it; nil when it does not.
    static func endpoint(of configuration: ProviderConfiguration) -> URL?
}

extension OwnTokenRequest: Redacted {
    /// The client; the token stays secret.
    public var description: String { "\(Purpose.name) request of \(client.id)" }
}
