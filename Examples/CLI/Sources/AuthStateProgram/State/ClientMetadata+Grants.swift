import AuthStateKit

extension ClientMetadata {
    /// Writes the grants of a client of this program into its metadata, and how it will authenticate.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` when the private key cannot be read.
    mutating func prepare(
        for grants: [TokenOptions.Grant], responseType: AuthorizationRequest.ResponseType = .code, key: KeyOptions
    ) throws {
        use(grants, responseType: responseType)
        // A program on a person's machine cannot keep a secret; a client that speaks in its own name, or uses
        // backchannel authentication, has to.
        if grants.contains(where: \.isPersonal), !grants.contains(.ciba) {
            tokenEndpointAuthMethod = ClientAuthenticationMethod.none
        }
        try key.apply(to: &self)
    }

    /// Writes the client's grants and response type.
    mutating func use(_ grants: [TokenOptions.Grant], responseType: AuthorizationRequest.ResponseType = .code) {
        grantTypes = grants.map(\.type) + (grants.contains(where: \.isPersonal) ? [.refreshToken] : [])
        responseTypes = grants.contains(.authorizationCode) ? [responseType] : []
        // The mode that needs no server.
        if grants.contains(.ciba) { additionalMetadata["backchannel_token_delivery_mode"] = "poll" }
    }
}
