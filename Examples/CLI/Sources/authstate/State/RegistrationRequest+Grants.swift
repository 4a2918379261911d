import AuthStateKit

extension RegistrationRequest {
    /// Says what a client of this program will use, and how it will prove who it is.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` when the private key cannot be read.
    mutating func prepare(
        for grants: [TokenOptions.Grant], responseType: AuthorizationRequest.ResponseType = .code, key: KeyOptions
    ) throws {
        use(grants, responseType: responseType)
        // A program on a person's machine cannot keep a secret to itself; one that speaks in its own name, or has people
        // asked, has to.
        if grants.contains(where: \.isPersonal), !grants.contains(.ciba) {
            tokenEndpointAuthMethod = ClientAuthenticationMethod.none
        }
        try key.apply(to: &self)
    }

    /// Says what the client will use.
    mutating func use(_ grants: [TokenOptions.Grant], responseType: AuthorizationRequest.ResponseType = .code) {
        grantTypes = grants.map(\.type) + (grants.contains(where: \.isPersonal) ? [.refreshToken] : [])
        responseTypes = grants.contains(.authorizationCode) ? [responseType] : []
        // The mode that needs no server.
        if grants.contains(.ciba) { additionalMetadata["backchannel_token_delivery_mode"] = "poll" }
    }
}
