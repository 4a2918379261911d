import AuthStateOAuth

extension AuthorizationService {
    /// What the ID token of a login has to fit, whatever grant it comes from; the provider's keys are at hand afterwards.
    ///
    /// To be found out before anything is spent that cannot be spent again.
    ///
    /// - Returns: Nil when none was asked for, and there is nothing to verify one with.
    /// - Throws: `AuthStateError`: the issuer is unknown, or the keys cannot be had.
    func loginExpectation(
        service: ServiceConfiguration, clientID: String, isOpenID: Bool, credential: ClientCredential
    ) async throws -> IDTokenExpectation? {
        guard isOpenID || service.canVerifyIDTokens(fromBrowser: false) else { return nil }
        guard let issuer = service.issuer else {
            throw AuthStateError(
                .invalidMetadata, stage: .token, "The ID token cannot be verified: the provider's issuer is unknown.",
                expected: "issuer", hint: "Use discovery, give the issuer, or leave out the scope openid.")
        }
        let expectation = try expectation(
            issuer: issuer, clientID: clientID, service: service, credential: credential, stage: .token)
        if isOpenID, service.jwksURI != nil, expectation.policy.algorithms.needPublishedKeys {
            _ = try await keys(of: service, stage: .token)
        }
        return expectation
    }

    /// The tokens of a login with the ID token verified; without it where there is nothing to verify it with.
    ///
    /// - Throws: `AuthStateError` of stage token; then nobody gets to see the tokens.
    func verified(
        _ tokens: TokenResponse, expectation: IDTokenExpectation?, service: ServiceConfiguration
    ) async throws -> TokenResponse {
        var tokens = tokens
        guard let idToken = tokens.idToken, var expectation else {
            tokens.idToken = nil
            return tokens
        }
        expectation.now = configuration.clock.now
        expectation.accessToken = tokens.accessToken
        (_, tokens.idTokenTrust) = try await validate(
            idToken, expectation: expectation, service: service, stage: .token)
        return tokens
    }
}
