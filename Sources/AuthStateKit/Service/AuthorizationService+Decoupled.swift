import AuthStateFoundation
import AuthStateOAuth

extension AuthorizationService {
    /// Sends the request that begins a login which a person confirms elsewhere.
    ///
    /// Fails before the person confirms when something for the token request is missing: a key that the provider
    /// accepts, or the means to verify the ID token.
    ///
    /// - Returns: The answer, and when the request was sent.
    /// - Throws: `AuthStateError`, mostly of stage authorization; `CancellationError`.
    func begin(
        _ request: some DecoupledRequest, credential: ClientCredential
    ) async throws -> (GuardedResponse, sentAt: Date) {
        let service = request.configuration
        var message = request
        message.configuration = service.endpoints(for: credential)
        let endpoint = try message.endpoint
        try check(endpoint, of: service, stage: .authorization)
        if let key = request.dpopKey {
            try service.check(dpopAlgorithm: key.algorithm, stage: .authorization)
            _ = try key.signer(stage: .authorization)
        }
        if request.scopes.contains(.openID) { try service.checkIDTokens(fromBrowser: false) }
        _ = try await firstIDToken(of: request, credential: credential)
        let authentication = try await authentication(
            of: credential, clientID: request.clientID, service: service, endpoint: endpoint, stage: .authorization)
        let sentAt = configuration.clock.now
        let response = try await send(
            message.transportRequest(authentication: authentication), addresses: service.addressPolicy,
            stage: .authorization)
        return (response, sentAt)
    }

    /// Asks for the tokens until the person has decided, as often as the provider allows.
    ///
    /// Waits by the service's `waitingClock`; the login expires by its `clock`.
    ///
    /// - Throws: `AuthStateError` of stage token. As soon as the task is cancelled, `CancellationError`.
    func poll(
        _ response: some DecoupledResponse, credential: ClientCredential, additionalParameters: Parameters
    ) async throws -> TokenResponse {
        let request = response.request
        let question = response.tokenRequest(additionalParameters)
        var polling = response.polling
        while true {
            let pause = try polling.wait(at: configuration.clock.now)
            try await configuration.waitingClock.sleep(for: .seconds(pause))
            // The machine may have slept longer than that.
            guard configuration.clock.now < polling.expiresAt else { throw polling.expired }
            let (expectation, tokens): (IDTokenExpectation?, TokenResponse)
            do {
                // In each round: a person may take longer than the keys stay cached, and the tokens come only once.
                expectation = try await firstIDToken(of: request, credential: credential)
                tokens = try await redeem(question, credential: credential).get()
            } catch let error as AuthStateError {
                try polling.note(error)
                configuration.trace?.noteWaiting(error, pause: polling.pause)
                continue
            }
            let verified = try await verified(tokens, expectation: expectation, service: request.configuration)
            try response.check(verified)
            return verified
        }
    }

    private func firstIDToken(
        of request: some DecoupledRequest, credential: ClientCredential
    ) async throws -> IDTokenExpectation? {
        try await loginExpectation(
            service: request.configuration, clientID: request.clientID, isOpenID: request.scopes.contains(.openID),
            credential: credential)
    }
}
