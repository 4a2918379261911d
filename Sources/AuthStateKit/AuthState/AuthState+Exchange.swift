import AuthStateJOSE
public import AuthStateOAuth

extension AuthState {
    /// The token of a state that is exchanged.
    public enum SubjectToken: Sendable, Hashable {
        /// The access token, renewed before the exchange when it is not fresh.
        case accessToken
        /// The last ID token. It may have expired, because ID tokens are not renewed for their own sake.
        case idToken
        /// The refresh token, which the provider must not rotate in the exchange.
        case refreshToken

        func token(of tokens: Tokens, _ record: Record) -> TypedToken? {
            switch self {
            case .accessToken: TypedToken(tokens.accessToken, type: .accessToken)
            case .idToken: tokens.idToken.map { TypedToken($0, type: .idToken) }
            case .refreshToken: record.refreshToken.map { TypedToken($0, type: .refreshToken) }
            }
        }
    }

    /// Exchanges a token of the state for another, to act on the user's behalf elsewhere (RFC 8693).
    ///
    /// The exchange does not change the state: the new token is the caller's, and nothing renews it. The answer's
    /// `issuedTokenType` says what kind of token it is; an ID token in the answer is not verified. `tokens(issued:)`
    /// makes the header fields for requests with the new token.
    ///
    /// A state whose tokens are bound to a key proves that key, and gets a token that is bound to it too (RFC 9449,
    /// section 5); a bearer token instead is refused. To use another key, or none, send your own `TokenRequest`.
    ///
    /// - Parameters:
    ///   - subject: The token to exchange.
    ///   - audiences: The names of the services that the new token is for.
    ///   - resources: The locations of these services, absolute URIs.
    ///   - scopes: The scopes of the new token.
    ///   - requestedTokenType: The type of the new token; nil leaves it to the provider.
    ///   - actor: The token of the party that acts on the user's behalf, when it is another party.
    ///   - additionalParameters: Other parameters that the provider understands.
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
        let (tokens, record) = try await current(freshTokens())
        guard let found = subject.token(of: tokens, record) else {
            throw AuthStateError(
                .invalidArgument, stage: .token, "The state has no token of this kind to exchange.",
                expected: "\(subject)",
                hint: "Exchange the access token, or log in so that the provider issues such a token.")
        }
        let exchange = TokenExchange(
            of: found, actorToken: actor, requestedTokenType: requestedTokenType, audiences: audiences,
            resources: resources, scopes: scopes, additionalParameters: additionalParameters)
        var request = TokenRequest(record.client, .tokenExchange(exchange))
        request.dpopKey = record.dpopKey
        return try await service.perform(request)
    }

    /// Returns an assertion of the user's identity for another authorization server, by which a client there gets tokens in the
    /// user's name without a page (draft-ietf-oauth-identity-assertion-authz-grant, section 4.3).
    ///
    /// The ID token is exchanged, after a renewal when it has expired. The provider decides by its own rules whether the user may
    /// use the server.
    ///
    /// - Parameters:
    ///   - audience: The issuer of the other authorization server.
    ///   - resources: The resources that the token there is for, absolute URIs.
    ///   - scopes: The scopes to ask for there.
    ///   - additionalParameters: Other parameters that the provider understands.
    /// - Throws: As `exchangeToken`; `.unsupportedTokenType` when the provider issues something else. `CancellationError`.
    public nonisolated(nonsending) func identityAssertion(
        audience: String, resources: [String] = [], scopes: [Scope] = [], additionalParameters: Parameters = [:]
    ) async throws -> String {
        if let idToken = record.idToken, service.isOver(idToken), status.canRenew { try await refresh() }
        let issued = try await exchangeToken(
            .idToken, audiences: [audience], resources: resources, scopes: scopes,
            requestedTokenType: .identityAssertion, additionalParameters: additionalParameters)
        guard TrustCheck.identityAssertionType.holds(issued.issuedTokenType == .identityAssertion) else {
            throw AuthStateError(
                .unsupportedTokenType, stage: .token, "The provider issued no assertion of the user's identity.",
                expected: "\(TokenTypeIdentifier.identityAssertion)",
                received: issued.issuedTokenType.map { "\($0)" } ?? "no issued_token_type",
                hint: "Ask the provider's operator whether it signs such assertions (ID-JAG).")
        }
        return issued.accessToken
    }

    /// Returns the tokens of an answer to `exchangeToken`, for their `authorizationHeaders(method:url:)`. They have the
    /// state's key if they are bound to it, and follow the state's rules of where tokens may be sent.
    public nonisolated func tokens(issued response: TokenResponse) -> Tokens {
        var record = self.record
        // The scope and the details of the login are not those of this token.
        (record.scope, record.authorizationDetails) = (nil, nil)
        return tokens(response, of: record)
    }
}

extension AuthorizationService {
    /// Whether an ID token has expired; one that cannot be read has not.
    fileprivate func isOver(_ idToken: String) -> Bool {
        guard let expiry = (try? JSONWebToken(parsing: idToken))?.claims["exp"]?.doubleValue else { return false }
        return expiry <= configuration.clock.secondsSince1970
    }
}
