public import AuthStateOAuth

extension AuthorizationService {
    /// Begins a login that a user confirms on another device (RFC 8628, section 3.1).
    ///
    /// Show what comes back, see `DeviceAuthorizationResponse`, then call `pollTokens`.
    ///
    /// - Throws: `AuthStateError`: `.endpointMissing`; the provider's refusal; an answer that cannot be used, or that leads
    ///   the user to a page without TLS. `CancellationError`.
    public func authorizeDevice(_ request: DeviceAuthorizationRequest) async throws -> DeviceAuthorizationResponse {
        try await traced {
            let (answer, sentAt) = try await begin(request)
            let response = try answer.read { try DeviceAuthorizationResponse($0, to: request, sentAt: sentAt) }
            for page in [response.verificationURI, response.verificationURIComplete] {
                if let page { try check(page, of: request.client.provider, stage: .authorization) }
            }
            return response
        }
    }

    /// Asks for the tokens until the user has decided, as often as the provider allows (RFC 8628, sections 3.4 and 3.5).
    ///
    /// Waits by the service's clock, by which the codes expire too. An ID token is verified as at a login;
    /// none is required, even with the scope `openid`: the grant knows no ID tokens, and not every provider adds one.
    ///
    /// A provider that cannot be reached is asked again, less and less often, until the codes expire.
    ///
    /// - Throws: `AuthStateError` of stage token: `.accessDenied`; `.deviceCodeExpired`; any other refusal. As soon as the
    ///   task is cancelled, `CancellationError`.
    public func pollTokens(
        for response: DeviceAuthorizationResponse, additionalParameters: Parameters = [:]
    ) async throws -> TokenResponse {
        try await poll(response, additionalParameters)
    }
}
