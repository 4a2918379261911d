public import AuthStateOAuth

extension AuthorizationService {
    /// Has the provider ask a user, for example on their phone, whether this client may log them in (OpenID Connect CIBA
    /// Core 1.0, section 7.1).
    ///
    /// Show the user what they are to confirm and where, then call `pollTokens`.
    ///
    /// - Throws: `AuthStateError` of stage authorization: `.endpointMissing`; `.unsupported` when the provider has no poll
    ///   mode; `.invalidArgument` for a request that cannot be made; the provider's refusal, such as `.unknownUserID`,
    ///   `.missingUserCode` and `.invalidUserCode`; an answer that cannot be used. `CancellationError`.
    public func authorizeBackchannel(
        _ request: BackchannelAuthenticationRequest
    ) async throws -> BackchannelAuthenticationResponse {
        try await traced {
            // The hint's subject has to be known before the user is asked: the new login must have the same one.
            if case .idToken(let hint) = request.hint { _ = try IDToken(parsing: hint, stage: .authorization) }
            let (answer, sentAt) = try await begin(request)
            return try answer.read { try BackchannelAuthenticationResponse($0, to: request, sentAt: sentAt) }
        }
    }

    /// Asks for the tokens until the user has decided, as often as the provider allows (CIBA Core, sections 10.1 and 11).
    ///
    /// Waits by the service's clock, by which the request expires too. The ID token is required and verified
    /// as at a login; when an ID token was the hint, both must have the same subject. A provider that cannot be reached
    /// is asked again, less and less often, until the request expires. An answer that comes late (long polling) is
    /// awaited for as long as `requestTimeout` of the service's configuration allows.
    ///
    /// - Throws: `AuthStateError` of stage token: `.accessDenied`; `.deviceCodeExpired` when the user does not decide
    ///   in time; `.accountChanged`; any other refusal. As soon as the task is cancelled, `CancellationError`.
    public func pollTokens(
        for response: BackchannelAuthenticationResponse, additionalParameters: Parameters = [:]
    ) async throws -> TokenResponse {
        try await poll(response, additionalParameters)
    }
}
