public import AuthStateKit
import AuthStateOAuth

extension AuthStatePool {
    /// Returns tokens of a key that are valid for a given time, see `AuthState.freshTokens(validFor:_:)`.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - validity: The time for which the access token must be valid from now.
    ///   - parameters: Scopes and other parameters beyond the default.
    /// - Throws: As `state(for:)` and `AuthState.freshTokens(validFor:_:)` do.
    public nonisolated(nonsending) func freshTokens(
        for key: AuthStateKey, validFor validity: Duration, _ parameters: RenewalParameters = .none
    ) async throws -> Tokens {
        try await stateAtHand(key).freshTokens(validFor: validity, parameters)
    }

    /// Runs a body with tokens of a key that are valid for a given time; when it throws `TokenRejected`, renews once and
    /// runs it once more.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - validity: The time for which the access token must be valid from now.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - body: Uses the tokens, and throws `TokenRejected` when a resource refuses them.
    /// - Throws: As `state(for:)` and `AuthState.withFreshToken(validFor:_:policy:_:)` do.
    public nonisolated(nonsending) func withFreshToken<R>(
        for key: AuthStateKey,
        validFor validity: Duration,
        _ parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil,
        _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        try await stateAtHand(key).withFreshToken(validFor: validity, parameters, policy: policy, body)
    }
}
