import AuthStateOAuth

extension AuthStatePool {
    /// Returns tokens of a key that are valid for a given time, see `AuthState.freshTokens(validFor:_:)`.
    ///
    /// - Throws: As `state(for:)` and `AuthState.freshTokens(validFor:_:)` do.
    public nonisolated(nonsending) func freshTokens(
        for key: AuthStateKey, validFor validity: Duration, _ parameters: RenewalParameters = .none
    ) async throws -> Tokens {
        try await stateAtHand(key).freshTokens(validFor: validity, parameters)
    }

    /// Runs a body with tokens of a key that are valid for a given time; when it throws `TokenRejected`, renews once and
    /// runs it once more.
    ///
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
