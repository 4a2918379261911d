public import AuthStateOAuth

extension AuthorizationService {
    /// Begins a login that a person confirms on another device (RFC 8628, section 3.1).
    ///
    /// Show what comes back, see `DeviceAuthorizationResponse`, then call `pollTokens`.
    ///
    /// - Throws: `AuthStateError`: `.endpointMissing`; the provider's refusal; an answer that cannot be used, or that leads
    ///   the person to a page without TLS. `CancellationError`.
    public func authorizeDevice(
        _ request: DeviceAuthorizationRequest, credential: ClientCredential = .none
    ) async throws -> DeviceAuthorizationResponse {
        let service = request.configuration
        var message = request
        message.configuration = service.endpoints(for: credential)
        let endpoint = try message.endpoint
        try check(endpoint, issuer: service.issuer, stage: .authorization)
        _ = try request.dpopKey?.signer(stage: .authorization)
        // What is missing for the ID token is better missed before the person has confirmed than after.
        _ = try await firstIDToken(of: request, credential: credential)
        let authentication = try credential.authentication(
            clientID: request.clientID, service: service, endpoint: endpoint, now: configuration.clock.now,
            stage: .authorization)
        let sentAt = configuration.clock.now
        let answer = try await send(message.transportRequest(authentication: authentication), stage: .authorization)
        let response = try DeviceAuthorizationResponse(answer, to: request, sentAt: sentAt)
        for page in [response.verificationURI, response.verificationURIComplete] {
            if let page { try check(page, issuer: service.issuer, stage: .authorization) }
        }
        return response
    }

    /// Asks for the tokens until the person has decided, as often as the provider allows (RFC 8628, sections 3.4 and 3.5).
    ///
    /// Waits by the service's `waitingClock`, the codes end by its `clock`. An ID token is verified as at a login; none is
    /// required, even with the scope `openid`: the grant knows no ID tokens, and not every provider adds one.
    ///
    /// A provider that cannot be reached is asked again, less and less often, until the codes end.
    ///
    /// - Throws: `AuthStateError` of stage token: `.accessDenied`; `.deviceCodeExpired`; any other refusal. As soon as the
    ///   task is cancelled, `CancellationError`.
    public func pollTokens(
        for response: DeviceAuthorizationResponse, credential: ClientCredential = .none,
        additionalParameters: Parameters = [:]
    ) async throws -> TokenResponse {
        let request = response.request
        var question = TokenRequest(
            deviceCode: response.deviceCode, configuration: request.configuration, clientID: request.clientID,
            additionalParameters: additionalParameters)
        question.resources = ResourceIndicators.single(request.resources)
        question.dpopKey = request.dpopKey
        var polling = DevicePolling(response)
        while true {
            let pause = try polling.wait(at: configuration.clock.now)
            try await configuration.waitingClock.sleep(for: .seconds(pause))
            // The machine may have slept longer than that.
            guard configuration.clock.now < polling.expiresAt else { throw DevicePolling.expired }
            let (expectation, tokens): (IDTokenExpectation?, TokenResponse)
            do {
                // Each time, for a person may take longer than the provider's keys are kept: the answer comes once.
                expectation = try await firstIDToken(of: request, credential: credential)
                tokens = try await perform(question, credential: credential)
            } catch let error as AuthStateError {
                try polling.note(error)
                continue
            }
            return try await verified(tokens, expectation: expectation, service: request.configuration)
        }
    }

    private func firstIDToken(
        of request: DeviceAuthorizationRequest, credential: ClientCredential
    ) async throws -> IDTokenExpectation? {
        try await loginExpectation(
            service: request.configuration, clientID: request.clientID, isOpenID: request.scopes.contains(.openID),
            credential: credential)
    }
}
