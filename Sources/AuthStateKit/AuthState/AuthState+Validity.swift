import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Returns tokens that are fresh and valid for a given time: at once when they are, else after a renewal that all
    /// callers share, here and in other processes.
    ///
    /// The decision is made under the lease: a renewal by another process that lasts long enough is adopted. A caller
    /// that needs less joins the renewal in progress; a caller that needs more waits for its end, then decides again.
    ///
    /// A provider may issue no tokens that last so long. Then the newest ones are returned: they are renewed when they
    /// are older than a tenth of their lifetime, one minute at most. `Tokens.lifetime` and
    /// `Tokens.accessTokenExpirationDate` show this.
    ///
    /// - Parameters:
    ///   - validity: The time for which the access token must be valid from now. Tokens are fresh besides, see
    ///     `Options.leeway`.
    ///   - parameters: Scopes and other parameters beyond the default; such tokens are kept beside the default ones.
    /// - Throws: `AuthStateError`, also when the token at hand has not expired but is too short and cannot be renewed;
    ///   `CancellationError` as soon as the task is cancelled.
    public nonisolated(nonsending) func freshTokens(
        validFor validity: Duration, _ parameters: RenewalParameters = .none
    ) async throws -> Tokens {
        let seconds = validity.boundedSeconds
        if parameters.isNone, let tokens = tokensIfUpToDate(),
            tokens.storage.lasts(seconds, at: service.configuration.clock.secondsSince1970)
        {
            return tokens
        }
        return try await tokens(parameters, reason: .shortLived(seconds))
    }

    /// Runs a body with tokens that are valid for a given time, see `freshTokens(validFor:_:)`; when it throws
    /// `TokenRejected`, renews once and runs it once more.
    ///
    /// - Parameters:
    ///   - validity: The time for which the access token must be valid from now.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - body: Uses the tokens, and throws `TokenRejected` when a resource refuses them.
    /// - Throws: As `freshTokens(validFor:_:)` and `withFreshToken(_:policy:_:)` do.
    public nonisolated(nonsending) func withFreshToken<R>(
        validFor validity: Duration,
        _ parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil,
        _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        let tokens = try await freshTokens(validFor: validity, parameters)
        return try await run(body, with: tokens, parameters, policy: policy)
    }
}

extension Duration {
    /// The duration in seconds, a million years at most.
    fileprivate var boundedSeconds: Double { min(max(0, inSeconds), 3e13) }
}
