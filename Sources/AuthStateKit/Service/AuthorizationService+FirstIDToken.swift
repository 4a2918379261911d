import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    /// Returns the expectation for a login's ID token, of any grant; the provider's keys are cached afterwards.
    ///
    /// Call it before anything is spent that cannot be spent again.
    ///
    /// - Returns: Nil when no ID token was requested and nothing could verify one.
    /// - Throws: `AuthStateError`: the issuer is unknown, or the keys are unavailable.
    func loginExpectation(of client: Client, isOpenID: Bool) async throws -> IDTokenExpectation? {
        let provider = client.provider
        guard isOpenID || provider.canVerifyIDTokens(fromBrowser: false) else { return nil }
        guard let issuer = provider.issuer else {
            throw AuthStateError(
                .invalidMetadata, stage: .token, "The ID token cannot be verified: the provider's issuer is unknown.",
                expected: "issuer", hint: "Use discovery, give the issuer, or leave out the scope openid.")
        }
        let expectation = try expectation(of: client, issuer: issuer, stage: .token)
        if isOpenID, provider.jwksURI != nil, expectation.policy.algorithms.needPublishedKeys {
            _ = try await keys(of: provider, stage: .token)
        }
        return expectation
    }

    /// Returns a login's tokens with the ID token verified, or without the ID token when nothing can verify it. Throws
    /// `AuthStateError` of stage token; then no token is handed out.
    func verified(
        _ tokens: TokenResponse, expectation: IDTokenExpectation?, provider: ProviderConfiguration
    ) async throws -> TokenResponse {
        var tokens = tokens
        guard let idToken = tokens.idToken, var expectation else {
            tokens.idToken = nil
            return tokens
        }
        expectation.now = configuration.clock.now
        expectation.accessToken = tokens.accessToken
        (_, tokens.idTokenTrust) = try await validate(
            idToken, expectation: expectation, provider: provider, stage: .token)
        return tokens
    }
}
