public import AuthStateOAuth

extension AuthorizationService {
    /// Reads claims about the person (OpenID Connect Core, section 5.3); the token goes into a header.
    ///
    /// - Parameters:
    ///   - tokens: The access token, and the ID token whose `sub` must be the same.
    ///   - service: The provider.
    /// - Throws: `TokenRejected` when the endpoint refuses the token (401), else `AuthStateError` of stage userinfo.
    public func userInfo(_ tokens: Tokens, service: ServiceConfiguration) async throws -> UserInfo {
        guard let endpoint = service.userInfoEndpoint else {
            throw AuthStateError(.endpointMissing, stage: .userinfo, "The provider has no userinfo endpoint.")
        }
        try check(endpoint, issuer: service.issuer, stage: .userinfo)
        var headers = try tokens.authorizationHeaders(method: "GET", url: endpoint)
        headers["Accept"] = ["application/json"]
        let response = try await send(TransportRequest(url: endpoint, headers: headers), stage: .userinfo)
        switch ResourceVerdict(response) {
        case .tokenRejected: throw TokenRejected(response)
        case .refused(let error): throw error.at(.userinfo)
        case .answered: break
        }
        guard response.status == 200 else {
            throw AuthStateError.endpoint("userinfo endpoint", response, stage: .userinfo)
        }
        let subject = try tokens.idToken.map { try IDToken(parsing: $0, stage: .userinfo).subject ?? "" }
        return try UserInfo(response, subject: subject)
    }

    /// Registers a client (RFC 7591).
    ///
    /// - Throws: `AuthStateError` of stage registration.
    public func register(_ request: RegistrationRequest) async throws -> RegistrationResponse {
        let message = try request.transportRequest()
        try check(message.url, issuer: request.configuration.issuer, stage: .registration)
        return try RegistrationResponse(try await send(message, stage: .registration))
    }
}
