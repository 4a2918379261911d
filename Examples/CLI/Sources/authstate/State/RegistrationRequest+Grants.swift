import AuthStateKit

extension RegistrationRequest {
    /// Says what a client of this program will use, and how it will prove who it is.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` when the private key cannot be read.
    mutating func prepare(
        for grants: [TokenOptions.Grant], responseType: AuthorizationRequest.ResponseType = .code, key: KeyOptions
    ) throws {
        let isPersonal = grants.contains(where: \.isPersonal)
        grantTypes = grants.map(\.type) + (isPersonal ? [.refreshToken] : [])
        responseTypes = grants.contains(.authorizationCode) ? [responseType] : []
        // The mode that needs no server.
        if grants.contains(.ciba) { additionalMetadata["backchannel_token_delivery_mode"] = "poll" }
        // A program on a person's machine cannot keep a secret to itself; one that speaks in its own name, or has people
        // asked, has to.
        let isPublic = key.authMethod == nil && key.privateKey == nil && isPersonal && !grants.contains(.ciba)
        tokenEndpointAuthMethod = isPublic ? ClientAuthenticationMethod.none : key.authMethod?.method
        guard let credential = key.credential else { return }
        if key.authMethod == nil { tokenEndpointAuthMethod = .privateKeyJWT }
        keys = [try credential.publicKey()]
    }
}
