public import AuthStateJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request to register a client (RFC 7591, section 2; OpenID Connect Dynamic Client Registration 1.0).
public struct RegistrationRequest: Sendable, Hashable {
    /// The provider.
    public var configuration: ServiceConfiguration
    /// Where answers may go.
    public var redirectURIs: [RedirectURI]
    /// The client's name as people see it.
    public var clientName: String?
    /// Grants that it will use; nil means the authorization code.
    public var grantTypes: [GrantType]?
    /// Response types that it will use; nil means `code`.
    public var responseTypes: [AuthorizationRequest.ResponseType]?
    /// How it will authenticate; nil leaves it to the provider.
    public var tokenEndpointAuthMethod: ClientAuthenticationMethod?
    /// How it will sign its assertions; nil leaves it to the client.
    public var tokenEndpointAuthSigningAlg: SignatureAlgorithm?
    /// Its keys (`jwks`), for `private_key_jwt`; only what is public of them is sent.
    public var keys: [JSONWebKey] = []
    /// Scopes that it may ask for.
    public var scopes: [Scope] = []
    /// `native` or `web`.
    public var applicationType: String? = "native"
    /// Where browsers may go after a logout.
    public var postLogoutRedirectURIs: [RedirectURI] = []
    /// What somebody whom the provider trusts says about the client, a signed JWT (RFC 7591, section 2.3).
    public var softwareStatement: String?
    /// The token that allows registration, when the provider wants one.
    public var initialAccessToken: String?
    /// Whatever else the provider understands.
    public var additionalMetadata: [String: JSONValue] = [:]

    /// Makes a request.
    public init(configuration: ServiceConfiguration, redirectURIs: [RedirectURI]) {
        self.configuration = configuration
        self.redirectURIs = redirectURIs
    }

    /// The HTTP request: JSON, with the initial access token when there is one.
    ///
    /// - Throws: `AuthStateError` with `.endpointMissing`, or for a malformed scope.
    public func transportRequest() throws -> TransportRequest {
        guard let endpoint = configuration.registrationEndpoint else {
            throw AuthStateError(
                .endpointMissing, stage: .registration, "The provider has no registration endpoint.",
                hint: "Register the client on the provider's pages and use its client identifier.")
        }
        var headers: TransportHeaders = ["Content-Type": "application/json", "Accept": "application/json"]
        headers["Authorization"] = initialAccessToken.map { ["Bearer \($0)"] } ?? []
        return TransportRequest(
            method: "POST", url: endpoint, headers: headers, body: Data(JSONValue.object(try metadata()).serialized()))
    }

    /// The client's metadata, as they are sent (RFC 7591, section 2).
    func metadata() throws -> [String: JSONValue] {
        var body = additionalMetadata
        func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        body["redirect_uris"] = strings(redirectURIs.map(\.rawValue))
        body["client_name"] = clientName.map { .string($0) }
        body["grant_types"] = grantTypes.map { strings($0.map(\.rawValue)) }
        body["response_types"] = responseTypes.map { strings($0.map(\.rawValue)) }
        body["token_endpoint_auth_method"] = tokenEndpointAuthMethod.map { .string($0.rawValue) }
        body["token_endpoint_auth_signing_alg"] = tokenEndpointAuthSigningAlg.map { .string($0.rawValue) }
        if !keys.isEmpty { body["jwks"] = ["keys": .array(keys.map(\.publicKey.json))] }
        body["scope"] = try scopes.joined(stage: .registration).map { .string($0) }
        body["application_type"] = applicationType.map { .string($0) }
        body["software_statement"] = softwareStatement.map { .string($0) }
        if !postLogoutRedirectURIs.isEmpty {
            body["post_logout_redirect_uris"] = strings(postLogoutRedirectURIs.map(\.rawValue))
        }
        return body
    }
}

extension RegistrationRequest: CustomStringConvertible, CustomReflectable {
    /// The client's name; the initial access token stays secret.
    public var description: String { "registration request of \(clientName ?? "a client")" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
