import AuthStateFoundation
import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    /// Sends the request that begins a login which a user confirms elsewhere.
    ///
    /// Fails before the user confirms when something for the token request is missing: a key that the provider
    /// accepts, or the means to verify the ID token.
    ///
    /// - Returns: The answer, and when the request was sent.
    /// - Throws: `AuthStateError`, mostly of stage authorization; `CancellationError`.
    func begin(_ request: some PolledLoginRequest) async throws -> (GuardedResponse, sentAt: Date) {
        let provider = request.client.provider
        var message = request
        message.client = request.client.atItsEndpoints
        let endpoint = try message.endpoint
        try check(endpoint, of: provider, stage: .authorization)
        if let key = request.dpopKey {
            try provider.check(dpopAlgorithm: key.algorithm, stage: .authorization)
            _ = try key.signer(stage: .authorization)
        }
        if request.scopes.contains(.openID) { try provider.checkIDTokens(fromBrowser: false) }
        _ = try await firstIDToken(of: request)
        let authentication = try await authentication(of: request.client, endpoint: endpoint, stage: .authorization)
        let sentAt = configuration.clock.now
        let response = try await send(
            message.transportRequest(authentication: authentication), addresses: provider.addressPolicy,
            stage: .authorization)
        return (response, sentAt)
    }

    /// Asks for the tokens until the user has decided, as often as the provider allows.
    ///
    /// Waits and expires by the service's clock. Throws `AuthStateError` of stage token. As soon as the task is
    /// cancelled, `CancellationError`.
    func poll(
        _ response: some PolledLoginResponse, _ additionalParameters: Parameters = [:]
    ) async throws -> TokenResponse {
        let request = response.request
        let question = response.tokenRequest(additionalParameters)
        var polling = response.polling
        return try await traced {
            while true {
                let pause = try polling.wait(at: configuration.clock.now)
                try await configuration.clock.waiting.sleep(for: pause)
                // The machine may have slept longer than that.
                guard configuration.clock.now < polling.expiresAt else { throw polling.expired }
                let (expectation, tokens): (IDTokenExpectation?, TokenResponse)
                do {
                    // In each round: a user may take longer than the keys stay cached, and the tokens come only once.
                    expectation = try await firstIDToken(of: request)
                    tokens = try await redeem(question).get()
                } catch let error as AuthStateError {
                    try polling.note(error)
                    configuration.trace?.noteWaiting(error, pause: polling.pause)
                    continue
                }
                let verified = try await verified(tokens, expectation: expectation, provider: request.client.provider)
                try response.check(verified)
                return verified
            }
        }
    }

    private func firstIDToken(of request: some PolledLoginRequest) async throws -> IDTokenExpectation? {
        try await loginExpectation(of: request.client, isOpenID: request.scopes.contains(.openID))
    }
}
