import AuthStateFoundation
public import AuthStateJOSE

/// A request to register a client (RFC 7591, section 2; OpenID Connect Dynamic Client Registration 1.0, section 2).
///
/// The properties of its ``metadata`` are its own too: `request.clientName = "App"`.
@dynamicMemberLookup
public struct RegistrationRequest: Sendable, Hashable {
    /// The provider.
    public var provider: ProviderConfiguration
    /// What the client says about itself.
    public var metadata: ClientMetadata
    /// The token that allows registration, when the provider wants one (RFC 7591, section 3).
    public var initialAccessToken: String?

    /// Makes a request.
    public init(_ provider: ProviderConfiguration, _ metadata: ClientMetadata) {
        self.provider = provider
        self.metadata = metadata
    }

    /// Makes a request for a client with these redirect URIs.
    public init(_ provider: ProviderConfiguration, redirectURIs: [RedirectURI]) {
        self.init(provider, ClientMetadata(redirectURIs: redirectURIs))
    }

    /// A property of the metadata.
    public subscript<Value>(dynamicMember property: WritableKeyPath<ClientMetadata, Value>) -> Value {
        get { metadata[keyPath: property] }
        set { metadata[keyPath: property] = newValue }
    }

    /// The HTTP request: JSON, with the initial access token when there is one.
    ///
    /// - Throws: `AuthStateError` with `.endpointMissing`, `.invalidArgument` for keys in two places, or for a malformed
    ///   scope.
    public func transportRequest() throws -> TransportRequest {
        guard let endpoint = provider.registrationEndpoint else {
            throw AuthStateError(
                .endpointMissing, stage: .registration, "The provider has no registration endpoint.",
                hint: "Register the client on the provider's pages and use its client identifier.")
        }
        var headers: TransportHeaders = ["Content-Type": "application/json", "Accept": "application/json"]
        headers["Authorization"] = initialAccessToken.map { "Bearer \($0)" }
        return TransportRequest(
            method: .post, url: endpoint, headers: headers,
            body: Data(JSONValue.object(try metadata.document()).serialized()))
    }
}

extension RegistrationRequest: Redacted {
    /// The client's name; the initial access token stays secret.
    public var description: String { "registration request of \(metadata.clientName ?? "a client")" }
}
