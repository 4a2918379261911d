import AuthStateFoundation
import AuthStateJOSE
public import AuthStateOAuth
import AuthStateSystem
import AuthStateUserAgent

extension AuthorizationService {
    /// Checks a callback against the login that it answers; the login is used up by it.
    ///
    /// A callback without the login's `state` belongs to another login and does not use this one up. A signed callback
    /// (JARM) is verified with the keys that the provider publishes; an unknown key has them fetched again.
    ///
    /// - Throws: `AuthStateError` of stage authorization: too old or used before, a failed check, the provider's
    ///   refusal, or the reason why the keys are unavailable. `CancellationError`.
    public func authorizationResponse(
        for pending: PendingAuthorization, callback: AuthorizationCallback
    ) async throws -> AuthorizationResponse {
        configuration.trace?.noteCallback(callback, to: pending.request)
        return try await traced {
            guard TrustCheck.pendingExpiry.holds(configuration.clock.now < pending.expiresAt) else {
                throw AuthStateError(
                    .authorizationExpired, stage: .authorization, "This login was begun too long ago.",
                    expected: "a callback within ten minutes", hint: "Start the login again.")
            }
            let parameters = try await parameters(of: callback, for: pending.request)
            guard TrustCheck.pendingUse.holds(UsedStates.shared.use(pending.request.state)) else {
                throw AuthStateError(
                    .authorizationExpired, stage: .authorization, "This login was completed before.",
                    expected: "one callback", hint: "Start the login again.")
            }
            let response = try reading { try AuthorizationResponse(parameters, for: pending.request) }
            configuration.trace?.noteAnswer(parameters, to: pending.request)
            return response
        }
    }

    /// Returns the parameters of a callback that belongs to the request, extracted from the JWT of a signed one.
    private func parameters(
        of callback: AuthorizationCallback, for request: AuthorizationRequest
    ) async throws -> Parameters {
        switch try reading({ try AuthorizationResponse.answer(of: callback, for: request) }) {
        case .plain(let parameters): return parameters
        case .signed(let answer):
            do {
                return try await withKeys(of: request.client.provider, stage: .authorization) { keys in
                    try answer.parameters(keys: keys, now: configuration.clock.now)
                }
            } catch let error as JOSEError {
                throw AuthStateError(refusedSignature: error, of: "signed answer", stage: .authorization)
            }
        }
    }

    /// Completes a login: checks the callback, exchanges the code, verifies the ID token.
    ///
    /// - Throws: `AuthStateError` of stage authorization or token; then no token is handed out.
    public func complete(
        _ pending: PendingAuthorization, callback: AuthorizationCallback
    ) async throws -> (AuthorizationResponse, TokenResponse) {
        let response = try await authorizationResponse(for: pending, callback: callback)
        return (response, try await exchange(response))
    }

    /// Exchanges the code of a response and verifies the ID token.
    ///
    /// - Throws: `AuthStateError` of stage token; then no token is handed out.
    public func exchange(
        _ response: AuthorizationResponse, additionalParameters: Parameters = [:]
    ) async throws -> TokenResponse {
        try await traced {
            let request = response.request
            let expectation = try await expectation(for: response)
            let tokens = try await perform(
                TokenRequest(exchanging: response, additionalParameters: additionalParameters))
            guard TrustCheck.idTokenPresent.holds(tokens.idToken != nil || !request.needsIDToken) else {
                throw AuthStateError(
                    .invalidIDToken, stage: .token, "The provider sent no ID token, which the scope openid requires.",
                    expected: "id_token", received: "nothing",
                    hint: "Register the client for OpenID Connect, or leave out the scope openid.")
            }
            do {
                return try await verified(tokens, expectation: expectation, provider: request.client.provider)
            } catch let error as AuthStateError where error.code != .cancelled && request.asksNoIdentity {
                configuration.trace?.noteLeniency(.unwantedIDToken, "id_token")
                return tokens.withoutIDToken
            }
        }
    }

    /// Returns the expectation for a login's ID token, before the code is spent; verifies a first ID token, from the
    /// front channel (OpenID Connect Core, section 3.3.2.12).
    private func expectation(for response: AuthorizationResponse) async throws -> IDTokenExpectation? {
        let request = response.request
        guard var expectation = try await loginExpectation(of: request.client, isOpenID: request.needsIDToken) else {
            return nil
        }
        expectation.nonce = request.nonce
        expectation.mayOmitNonce = request.mayOmitNonce
        expectation.maxAge = request.maxAge
        expectation.contextClasses = request.essentialContextClasses
        guard request.isOpenID else { return expectation }
        if let compact = response.idToken {
            var front = expectation
            front.code = response.code
            (expectation.frontChannel, _) = try await validate(
                compact, expectation: front, provider: request.client.provider, stage: .authorization)
        }
        return expectation
    }

    /// Takes a user through a login with a user agent; the user is told how it ended.
    ///
    /// - Throws: `AuthStateError`, or `CancellationError`; then no token is handed out.
    public func authorize(
        _ request: AuthorizationRequest, presenting userAgent: any ExternalUserAgent
    ) async throws -> (AuthorizationResponse, TokenResponse) {
        try await traced {
            // A missing secret has to show before the user logs in, not after.
            _ = try await authentication(
                of: request.client, endpoint: request.client.provider.tokenEndpoint, stage: .authorization)
            _ = try request.dpopKey?.signer(stage: .authorization)
            return try await withUserAgent(userAgent, redirectURI: request.redirectURI, purpose: .login) { session in
                var request = request
                request.redirectURI = session.redirectURI
                let pending = try await begin(request)
                configuration.trace?.noteBrowser(pending.url, expecting: session.redirectURI)
                let callback = try await session.present(.login(pending))
                let answer = try await complete(pending, callback: callback)
                do { try await session.confirm() } catch {
                    await giveBack(answer.1, of: request.client)
                    throw error
                }
                return answer
            }
        }
    }

    /// Ends the session at the provider with a user agent, and checks that the browser came back for this logout.
    ///
    /// - Throws: `AuthStateError` of stage logout, or `CancellationError`.
    public func endSession(_ request: EndSessionRequest, presenting userAgent: any ExternalUserAgent) async throws {
        try await traced {
            // An endpoint that may not be used is refused before anything opens.
            _ = try checkedURL(of: request)
            try await withUserAgent(userAgent, redirectURI: request.postLogoutRedirectURI, purpose: .logout) {
                session in
                var request = request
                request.postLogoutRedirectURI = session.redirectURI
                let pending = try begin(request)
                let callback = try await session.present(.logout(pending))
                try complete(pending, callback: callback)
            }
        }
    }

    /// Runs one trip through a user agent and tells it, whatever happens, how it ended.
    private func withUserAgent<R: Sendable>(
        _ userAgent: any ExternalUserAgent, redirectURI: RedirectURI?, purpose: UserAgentPurpose,
        _ body: (any ExternalUserAgentSession) async throws -> R
    ) async throws -> R {
        let session = try await userAgent.prepare(redirectURI: redirectURI, for: purpose)
        do {
            let result = try await body(session)
            await session.finish(.completed)
            return result
        } catch {
            let stage: AuthStateError.Stage = purpose == .login ? .authorization : .logout
            switch error {
            case is CancellationError: await session.finish(.cancelled)
            case let error as AuthStateError: await session.finish(.failed(error))
            default:
                await session.finish(
                    .failed(AuthStateError(.browserUnavailable, stage: stage, "The trip failed.", underlying: error)))
            }
            throw error
        }
    }
}
