public import AuthStateOAuth

extension AuthState {
    /// Which token of a state is exchanged.
    public enum SubjectToken: Sendable, Hashable {
        /// The access token, renewed first when it has to be.
        case accessToken
        /// The last ID token; it may have ended, for ID tokens are not renewed for their own sake.
        case idToken
        /// The refresh token, which the provider must not spend by it.
        case refreshToken
    }

    /// Exchanges a token of the state for another, to act in the person's name elsewhere (RFC 8693).
    ///
    /// The state stays as it is, whatever comes: the new token is the caller's, and nothing renews it. What kind it is
    /// says `issuedTokenType` of the answer, in which an ID token is not verified. `tokens(issued:)` makes the header
    /// fields for requests with it.
    ///
    /// A state whose tokens are bound to a key proves that key, and gets a token that is bound to it too (RFC 9449,
    /// section 5); a bearer token instead is refused. To have another key, or none, send a `TokenRequest` of your own.
    ///
    /// - Parameters:
    ///   - subject: Which token is exchanged.
    ///   - audiences: The names of the services that the new one shall be for.
    ///   - resources: Their places, absolute URIs.
    ///   - scopes: What it shall allow.
    ///   - requestedTokenType: What kind of token is wanted; nil leaves it to the provider.
    ///   - actor: The token of whoever acts in the person's name, when that is somebody else.
    ///   - additionalParameters: Whatever else the provider understands.
    /// - Throws: `AuthStateError`: as `freshTokens`; `.invalidArgument` when the state has no such token; the provider's
    ///   refusal, for example `.invalidTarget`. `CancellationError`.
    public nonisolated(nonsending) func exchangeToken(
        _ subject: SubjectToken = .accessToken,
        audiences: [String] = [],
        resources: [String] = [],
        scopes: [Scope] = [],
        requestedTokenType: TokenTypeIdentifier? = nil,
        actor: TypedToken? = nil,
        additionalParameters: Parameters = [:]
    ) async throws -> TokenResponse {
        let tokens = try await freshTokens()
        let record = snapshot
        let found: TypedToken? =
            switch subject {
            case .accessToken: TypedToken(tokens.accessToken, type: .accessToken)
            case .idToken: tokens.idToken.map { TypedToken($0, type: .idToken) }
            case .refreshToken: record.refreshToken.map { TypedToken($0, type: .refreshToken) }
            }
        guard let found else {
            throw AuthStateError(
                .invalidArgument, stage: .token, "The state has no token of this kind to exchange.",
                expected: "\(subject)",
                hint: "Exchange the access token, or log in so that the provider issues such a token.")
        }
        let exchange = TokenExchange(
            of: found, actorToken: actor, requestedTokenType: requestedTokenType, audiences: audiences,
            resources: resources, scopes: scopes, additionalParameters: additionalParameters)
        var request = TokenRequest(
            exchange: exchange, configuration: record.configuration, clientID: record.clientID)
        request.dpopKey = record.dpopKey
        return try await service.perform(request, credential: record.credential)
    }

    /// A token that `exchangeToken` brought, with the state's key if it is bound to that, and under the state's rules of
    /// where tokens may go: for its `authorizationHeaders(method:url:)`.
    public nonisolated func tokens(issued response: TokenResponse) -> Tokens {
        let visible = published.withLock { $0.state }
        return Tokens(
            storage: Tokens.Storage(
                response, of: visible.record, leeway: options.leeway, policy: visible.policy,
                dpop: visible.record.dpopKey.map { DPoPBinding($0, service) }))
    }
}
