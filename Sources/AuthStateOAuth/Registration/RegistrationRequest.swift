import AuthStateFoundation
public import AuthStateJOSE

/// A request to register a client (RFC 7591, section 2; OpenID Connect Dynamic Client Registration 1.0, section 2).
///
/// The properties of its ``metadata`` are its own too: `request.clientName = "App"`.
@dynamicMemberLookup
public struct RegistrationRequest: Sendable, Hashable, Redacted {
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

    /// The HTTP request: JSON, with the initial access token when there is one; throws `AuthStateError` with
    /// `.endpointMissing`, `.invalidArgument` for keys in two places, or for a malformed scope.
    package func transportRequest() throws -> TransportRequest {
        let endpoint = try provider.registrationEndpoint.required(
            at: .registration, "The provider has no registration endpoint.",
            hint: "Register the client on the provider's pages and use its client identifier.")
        var headers: TransportHeaders = ["Content-Type": "application/json", "Accept": "application/json"]
        headers["Authorization"] = initialAccessToken.map { "Bearer \($0)" }
        return TransportRequest(
            method: .post, url: endpoint, headers: headers,
            body: Data(JSONValue.object(try metadata.document()).serialized()))
    }

    /// The client's name; the initial access token stays secret.
    public var description: String { "registration request of \(metadata.clientName ?? "a client")" }
}

extension RegistrationRequest {
    /// The request that registers the client as it is registered now: change it, and update the registration with it.
    ///
    /// An update replaces everything (RFC 7592, section 2.2): members that are left out are deleted. The client's keys
    /// are in `additionalMetadata`, as they are written there; `keys` replaces them.
    ///
    /// - Throws: `AuthStateError` with `.malformedResponse` when a member that has a property here is not of its type.
    public init(updating registration: RegistrationResponse, at provider: ProviderConfiguration) throws {
        self.init(provider, redirectURIs: [])
        metadata.applicationType = nil
        // Some providers write null, or an empty string, for a member that is not set.
        var rest = registration.metadata.filter { name, value in
            value != .null && value != "" && !ClientMetadata.notSent.contains(name)
        }
        for member in ClientMetadata.members {
            guard let value = rest.removeValue(forKey: member.name) else { continue }
            guard try member.take(value, &metadata) else { throw Self.unusable(member.name) }
        }
        metadata.additionalMetadata = rest
    }

    private static func unusable(_ name: String) -> AuthStateError {
        AuthStateError(
            .malformedResponse, stage: .registration, "The registration's \(name) cannot be used.",
            expected: "a value of the type that RFC 7591 says", received: "something else",
            hint: "Send an update with all metadata of your own.")
    }
}

extension ClientMetadata {
    /// The members that only the provider sets, and those that an update carries in another way (RFC 7592, 2.2).
    static let notSent: Set<String> = [
        "client_id", "client_secret", "registration_access_token", "registration_client_uri",
        "client_secret_expires_at", "client_id_issued_at",
    ]
}
