import AuthStateJOSE

extension RegistrationRequest {
    /// The request that registers the same client as it is registered now: change it, and update the registration with it.
    ///
    /// An update replaces everything (RFC 7592, section 2.2): what is left out is gone.
    ///
    /// - Throws: `AuthStateError` with `.malformedResponse` when a member that this library knows is not of its type.
    public init(updating registration: RegistrationResponse, configuration: ServiceConfiguration) throws {
        var rest = registration.metadata
        for name in Self.notSent { rest[name] = nil }
        // Some providers write null for what is not set.
        rest = rest.filter { $0.value != .null }
        func take<T>(_ name: String, _ read: (JSONValue) -> T?) throws -> T? {
            guard let value = rest.removeValue(forKey: name) else { return nil }
            guard let result = read(value) else { throw Self.unusable(name) }
            return result
        }
        func strings(_ name: String) throws -> [String]? {
            try take(name) { value in
                guard let members = value.arrayValue else { return nil }
                let strings = members.compactMap(\.stringValue)
                return strings.count == members.count ? strings : nil
            }
        }
        func uris(_ name: String) throws -> [RedirectURI] { try strings(name)?.map { try RedirectURI($0) } ?? [] }
        self.init(configuration: configuration, redirectURIs: try uris("redirect_uris"))
        clientName = try take("client_name", \.stringValue)
        grantTypes = try strings("grant_types")?.map { GrantType(rawValue: $0) }
        responseTypes = try strings("response_types")?.map { AuthorizationRequest.ResponseType(rawValue: $0) }
        tokenEndpointAuthMethod = try take("token_endpoint_auth_method", \.onlyString)
            .map(ClientAuthenticationMethod.init)
        tokenEndpointAuthSigningAlg = try take("token_endpoint_auth_signing_alg", \.stringValue)
            .map(SignatureAlgorithm.init)
        scopes = try take("scope", \.stringValue)?.split(separator: " ").map { Scope(rawValue: String($0)) } ?? []
        applicationType = try take("application_type", \.stringValue)
        postLogoutRedirectURIs = try uris("post_logout_redirect_uris")
        softwareStatement = try take("software_statement", \.stringValue)
        // The keys stay as they are written: one that this library cannot read is still the client's.
        additionalMetadata = rest
    }

    /// What only the provider says of a client, and what goes into an update in another way (RFC 7592, section 2.2).
    private static let notSent = [
        "client_id", "client_secret", "registration_access_token", "registration_client_uri",
        "client_secret_expires_at", "client_id_issued_at",
    ]

    private static func unusable(_ name: String) -> AuthStateError {
        AuthStateError(
            .malformedResponse, stage: .registration, "The registration's \(name) cannot be used.",
            expected: "a value of the type that RFC 7591 says", received: "something else",
            hint: "Send an update with all metadata of your own.")
    }
}
