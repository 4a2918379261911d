package import AuthStateFoundation

/// A request to the device authorization endpoint (RFC 8628, section 3.1): a login that a user confirms elsewhere.
public struct DeviceAuthorizationRequest: Sendable, Hashable, Codable {
    /// The client that asks, and its provider.
    public var client: Client
    /// The scopes to ask for.
    public var scopes: [Scope]
    /// The resources that the tokens shall be for, absolute URIs (RFC 8707).
    public var resources: [String]
    /// The key that the tokens shall be bound to (RFC 9449); nil asks for bearer tokens.
    public var dpopKey: DPoPKey?
    /// Additional parameters that the provider understands.
    public var additionalParameters: Parameters

    /// Makes a request.
    public init(
        _ client: Client, scopes: [Scope] = [], resources: [String] = [],
        additionalParameters: Parameters = [:]
    ) {
        self.client = client
        self.scopes = scopes
        self.resources = resources
        self.additionalParameters = additionalParameters
    }

    /// Where it goes; throws `AuthStateError` with `.endpointMissing`.
    package var endpoint: URL {
        get throws {
            try client.provider.deviceAuthorizationEndpoint.required(
                at: .authorization, "The provider has no device authorization endpoint.",
                expected: "device_authorization_endpoint",
                hint: "Set deviceAuthorizationEndpoint if the provider has one that its metadata leave out.")
        }
    }

    /// The HTTP request: a form, with the client's proof; throws `AuthStateError` with `.endpointMissing`, or for a
    /// malformed scope or an additional parameter that would replace one of the request's own.
    package func transportRequest(authentication: ClientAuthentication) throws -> TransportRequest {
        var form: Parameters = [:]
        form["scope"] = try scopes.joined(stage: .authorization, tolerating: client.provider.tolerances)
        try form.add(resources: resources, stage: .authorization)
        return try TransportRequest(
            posting: form, additional: additionalParameters, to: endpoint, authentication: authentication,
            stage: .authorization)
    }
}
