import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    /// Checks what a provider posted to the back-channel logout endpoint of a web server (OpenID Connect Back-Channel
    /// Logout 1.0, section 2.6), with the keys that it publishes; an unknown key has them fetched again.
    ///
    /// The algorithm is that of the client's ID tokens: the one of `IDTokenPolicy.algorithms` or of the registration, else
    /// RS256, or what the provider lists where that lacks RS256.
    ///
    /// Take each `tokenID` once, answer 200 when the sessions have ended and 400 when this throws, with
    /// `Cache-Control: no-store` (section 2.8).
    ///
    /// - Parameters:
    ///   - compact: The form parameter `logout_token`.
    ///   - provider: The provider's configuration, with its issuer.
    ///   - clientID: The client that the token must be for.
    /// - Throws: `AuthStateError`: `.invalidSignature` or `.invalidLogoutToken`, or the reason why the keys are
    ///   unavailable; `CancellationError`.
    public func logoutToken(
        _ compact: String, configuration provider: ProviderConfiguration, clientID: String
    ) async throws -> LogoutToken {
        guard let issuer = provider.issuer else {
            throw AuthStateError(
                .invalidMetadata, stage: .logout,
                "The logout token cannot be verified: the provider's issuer is unknown.",
                expected: "issuer")
        }
        var expectation = IDTokenExpectation(issuer: issuer, clientID: clientID, now: configuration.clock.now)
        expectation.policy = provider.idTokenPolicy
        expectation.policy.algorithms = provider.logoutTokenAlgorithms
        expectation.toleratesMissingLogoutExpiry = provider.tolerances.contains(.missingLogoutExpiry)
        do {
            return try await withKeys(of: provider, stage: .logout) { keys in
                try LogoutToken(verifying: compact, keys: keys, expectation: expectation)
            }
        } catch let error as JOSEError {
            throw AuthStateError(refusedSignature: error, of: "logout token", stage: .logout)
        }
    }
}
