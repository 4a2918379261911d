import AuthStateKit

extension ClientMetadata {
    /// Writes the grants of a client of this program into its metadata, and how it will authenticate.
    ///
    /// - Parameter provider: The provider where the client registers; nil for metadata that are shown only.
    mutating func prepare(
        for grants: [RegisteredGrant], responseType: AuthorizationRequest.ResponseType = .code, key: KeyOptions,
        at provider: ProviderConfiguration? = nil
    ) throws {
        use(grants, responseType: responseType)
        // A client that speaks in its own name, or uses backchannel authentication, has to have a secret.
        if grants.contains(where: { $0.login?.isPersonal == true }), !grants.contains(.login(.ciba)) {
            tokenEndpointAuthMethod = Self.personalMethod(at: provider)
        }
        try key.apply(to: &self)
    }

    /// How a program on a user's machine authenticates: not at all, because it cannot keep a secret, unless the provider
    /// takes such a client only with one. Metadata without a list mean HTTP Basic (RFC 8414, section 2).
    private static func personalMethod(at provider: ProviderConfiguration?) -> ClientAuthenticationMethod {
        let offered = provider?.metadata.map { $0.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"] }
        let usable: [ClientAuthenticationMethod] = [.none, .clientSecretBasic, .clientSecretPost]
        return usable.first { offered?.contains($0.rawValue) ?? true } ?? ClientAuthenticationMethod.none
    }

    /// Writes the client's grants and response type.
    mutating func use(_ grants: [RegisteredGrant], responseType: AuthorizationRequest.ResponseType = .code) {
        let renews = grants.contains { $0.login?.isPersonal == true }
        grantTypes = grants.map(\.type) + (renews ? [.refreshToken] : [])
        responseTypes = grants.contains(.login(.authorizationCode)) ? [responseType] : []
        // The mode that needs no server.
        if grants.contains(.login(.ciba)) { additionalMetadata["backchannel_token_delivery_mode"] = "poll" }
    }
}
