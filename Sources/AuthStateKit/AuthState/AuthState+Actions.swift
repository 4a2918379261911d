import AuthStateFoundation
public import AuthStateOAuth
import AuthStateTransport

extension AuthState {
    /// Returns fresh tokens: at once when there are any, else after a renewal that all callers share.
    ///
    /// For a `validity` the decision is made under the lease: a renewal by another process that lasts long enough is adopted. A
    /// caller without tokens that last long enough joins the renewal in progress, and decides again when it brings none. A
    /// provider may issue no tokens that last so long: then the newest ones are returned, renewed when they are older than a
    /// tenth of their lifetime, one minute at most. `Tokens.lifetime` and `Tokens.accessTokenExpirationDate` show this.
    ///
    /// - Parameters:
    ///   - validity: The time for which the access token must be valid from now, beyond being fresh, see `Options.leeway`.
    ///   - parameters: Scopes and more beyond the default; such tokens are kept beside the default ones.
    /// - Throws: `AuthStateError` (see `kind` for what to do), also when a token that has not expired lasts too short for the
    ///   `validity` and cannot be renewed; `CancellationError` as soon as the task is cancelled.
    @inlinable
    public nonisolated(nonsending) func freshTokens(
        validFor validity: Duration? = nil, _ parameters: RenewalParameters = .none
    ) async throws -> Tokens {
        // Inlinable, so that a fresh token is read without an asynchronous call: in 34 ns instead of 48. The same for
        // `withFreshToken`, which is specialised for its body's result then: in 43 ns instead of 71.
        if validity == nil, parameters.isNone, let tokens = tokensIfUpToDate() { return tokens }
        return try await tokens(validFor: validity, parameters)
    }

    /// Returns tokens when the published ones cannot be used at once; the only part of `freshTokens` that waits for the
    /// actor.
    @usableFromInline
    nonisolated(nonsending) func tokens(
        validFor validity: Duration?, _ parameters: RenewalParameters
    ) async throws -> Tokens {
        guard let validity else { return try await tokens(parameters, reason: .stale) }
        // A million years at most.
        let seconds = min(max(0, validity.inSeconds), 3e13)
        if parameters.isNone, let tokens = tokensIfUpToDate(),
            tokens.storage.lasts(seconds, at: service.configuration.clock.secondsSince1970)
        {
            return tokens
        }
        return try await tokens(parameters, reason: .shortLived(seconds))
    }

    /// Renews now, whether the tokens are fresh or not; from an error state too.
    ///
    /// - Throws: `AuthStateError`, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func refresh(_ parameters: RenewalParameters = .none) async throws -> Tokens {
        try await tokens(parameters, reason: .explicit)
    }

    /// Runs a body with fresh tokens; when it throws `TokenRejected`, renews once and runs it once more.
    ///
    /// When the rejection only asks for another DPoP nonce (RFC 9449, section 9), the body runs once more with the same
    /// tokens; that does not count as a refusal.
    ///
    /// The body runs in the caller's isolation, may capture values that are not `Sendable`, and its own errors pass
    /// unchanged.
    ///
    /// - Parameters:
    ///   - validity: The time for which the access token must be valid from now, see `freshTokens(validFor:_:)`.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - body: Uses the tokens, and throws `TokenRejected` when a resource refuses them.
    /// - Throws: The body's errors; `AuthStateError` when there are no tokens, or when the second ones are refused too.
    @inlinable
    public nonisolated(nonsending) func withFreshToken<R>(
        validFor validity: Duration? = nil,
        _ parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil,
        _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        try await run(body, with: try await freshTokens(validFor: validity, parameters), parameters, policy: policy)
    }

    /// Runs a body with tokens; when it throws `TokenRejected`, renews once and runs it once more.
    @inlinable @inline(__always)
    package nonisolated(nonsending) func run<R>(
        _ body: nonisolated(nonsending) (Tokens) async throws -> R, with tokens: Tokens,
        _ parameters: RenewalParameters, policy: UnauthorizedPolicy?
    ) async throws -> R {
        do {
            return try await body(tokens)
        } catch let rejection as TokenRejected {
            return try await again(
                after: rejection, of: tokens, parameters, policy: policy ?? options.unauthorizedPolicy, body)
        }
    }

    /// Handles the first refusal; a function of its own, so that the path without a refusal stays short.
    @usableFromInline
    nonisolated(nonsending) func again<R>(
        after rejection: TokenRejected, of tokens: Tokens, _ parameters: RenewalParameters, policy: UnauthorizedPolicy,
        _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        var (tokens, rejection, isRenewed) = (tokens, rejection, false)
        while true {
            if let proving = tokens.proving(after: rejection) {
                do { return try await body(proving) } catch let next as TokenRejected {
                    if proving.proving(after: next) != nil { throw next.nonceAgain }
                    rejection = next
                }
            }
            guard !isRenewed, try await mayRenew(after: rejection, of: tokens, parameters, policy) else {
                throw try await reject(tokens, rejection, policy: policy, renewed: isRenewed)
            }
            let refused = tokens.accessToken
            (tokens, isRenewed) = (try await self.tokens(parameters, reason: .rejected(refused)), true)
            guard tokens.accessToken != refused else { continue }
            do { return try await body(tokens) } catch let next as TokenRejected { rejection = next }
        }
    }

    /// Sends a request to a protected resource with a fresh access token; a 401 is handled here.
    ///
    /// Any other answer is returned as it is, redirects included. The request is sent twice at most, not counting the
    /// repeats that bring a DPoP nonce.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    /// - Throws: `AuthStateError`: no tokens; `.tokenRejected` after the second 401; `.insufficientScope`;
    ///   `.insufficientUserAuthentication`; `.invalidDPoPProof`; `.useDPoPNonce` when the resource asks for a nonce again and
    ///   again; a transport's failure. `CancellationError` when the task is cancelled.
    public nonisolated(nonsending) func performAction(
        _ request: TransportRequest,
        parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil
    ) async throws -> TransportResponse {
        try await perform(request, parameters, policy, by: service.transport.send) { _ in }
    }

    /// Sends a request as `performAction(_:parameters:policy:)` does, and returns the answer when its head has come: for
    /// server-sent events, long polls and large files.
    ///
    /// The token counts when the request is sent: a stream goes on after its expiry. An answer that is no success is read as a
    /// whole, up to the request's `maximumResponseBytes`.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it; its `timeout` is the time until the head.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    /// - Throws: As `performAction(_:parameters:policy:)`; an iterator of the answer throws as `StreamedResponse` says.
    public nonisolated(nonsending) func stream(
        _ request: TransportRequest, parameters: RenewalParameters = .none, policy: UnauthorizedPolicy? = nil
    ) async throws -> StreamedResponse {
        let stream = PendingStream(service.transport)
        return stream.response(to: try await perform(request, parameters, policy, by: stream.send) { _ in })
    }

    /// Sends a request with tokens that pass a check.
    package nonisolated(nonsending) func perform(
        _ request: TransportRequest, _ parameters: RenewalParameters, _ policy: UnauthorizedPolicy?,
        by send: (TransportRequest) async throws -> TransportResponse, checking check: (Tokens) throws -> Void
    ) async throws -> TransportResponse {
        try await withFreshToken(parameters, policy: policy) { tokens in
            try check(tokens)
            return try await service.send(request, with: tokens, by: send)
        }
    }

    /// Returns claims about the user, requested with a fresh token; a 401 is handled like that of any other resource.
    ///
    /// Throws when the answer fails a check; the state does not change.
    ///
    /// - Throws: `AuthStateError` of stage userinfo, or as `withFreshToken` does.
    public nonisolated(nonsending) func userInfo(_ options: UserInfoOptions = UserInfoOptions()) async throws
        -> UserInfo
    {
        try await withFreshToken { tokens in
            let (tokens, record) = try await current(tokens)
            do {
                return try await service.userInfo(tokens, of: record.client.atItsEndpoints, options: options)
            } catch var
                error as AuthStateError where record.clientCredentials != nil && error.kind != .transient
            {
                error.hint = "This login is the program's own: there is no user whose claims could be asked for."
                throw error
            }
        }
    }

    /// Returns tokens with the record that they are of: the given ones, or fresh ones where a login elsewhere has replaced the
    /// record since, perhaps by one at another provider.
    nonisolated(nonsending) func current(_ tokens: Tokens) async throws -> (Tokens, Record) {
        var (tokens, record) = (tokens, self.record)
        while record.accessToken != tokens.accessToken {
            tokens = try await freshTokens()
            record = self.record
        }
        return (tokens, record)
    }

    /// Returns whether a renewal may help: the refusal counts, there is a way to renew, and this token has not caused a renewal
    /// before.
    private func mayRenew(
        after rejection: TokenRejected, of refused: Tokens, _ parameters: RenewalParameters,
        _ policy: UnauthorizedPolicy
    ) async throws -> Bool {
        guard policy.renews, rejection.url == nil || rejection.counts(among: options.allowedOrigins) else {
            return false
        }
        try await notice()
        if isKnownRefusal(of: refused, policy) { return false }
        // Another caller or process was refused before and has renewed: the newer tokens are at hand.
        return usable(parameters, .rejected(refused.accessToken)) != nil
            || newest.renewalRequest(.none) != nil && ledger.lastRejected != refused.accessToken
    }

    /// Whether a token was refused shortly after it had been renewed for that, and the login was kept.
    private func isKnownRefusal(of refused: Tokens, _ policy: UnauthorizedPolicy) -> Bool {
        guard policy.choice == .renewOnceForRequest || isSide(refused) else { return false }
        return work.refusals[refused.accessToken].map { isRecent($0) } ?? false
    }

    /// Whether a refusal keeps a token from another renewal: for a minute, unless the clock was set.
    private func isRecent(_ refusal: Double) -> Bool { (0..<60).contains(clock.secondsSince1970 - refusal) }

    /// Whether tokens were requested with parameters, and their access token is not the default one too.
    private func isSide(_ tokens: Tokens) -> Bool {
        newest.accessToken != tokens.accessToken
            && ledger.sideTokens.values.contains { $0.accessToken == tokens.accessToken }
    }

    /// Returns the error for a refused token. By the policy it becomes the state's error too, if the token is still the
    /// current one.
    private func reject(
        _ refused: Tokens, _ rejection: TokenRejected, policy: UnauthorizedPolicy, renewed: Bool
    ) async throws -> AuthStateError {
        let (isKnown, isMachine) = (isKnownRefusal(of: refused, policy), newest.machineGrant != nil)
        // The caller's body may have made the rejection from an answer that repeats the token.
        var error = RequestSecrets([refused.accessToken]).hiding(
            AuthStateError(rejection, canRenew: renewed || isKnown))
        if isMachine { error.hint = "Check that the resource accepts tokens of this client." }
        let isSide = isSide(refused)
        guard rejection.counts(among: options.allowedOrigins), isSide || newest.accessToken == refused.accessToken
        else { return error }
        switch policy.effect(isMachine: isMachine, isSide: isSide) {
        case .none: break
        case .remembersToken where isKnown: break
        case .remembersToken:
            work.refusals = work.refusals.filter { isRecent($0.value) }
            work.refusals[refused.accessToken] = clock.secondsSince1970
        // A failed save was reported by `commit`; for the caller the refused token matters more.
        case .endsLogin: do { try await commit(.tokenRefused(refused.accessToken, error)) } catch is AuthStateError {}
        }
        return error
    }
}
