package import AuthStateFoundation

extension BackchannelAuthenticationResponse {
    /// Reads an answer of the backchannel authentication endpoint (CIBA Core, sections 7.3 and 13).
    ///
    /// - Parameter sentAt: When the request was sent; `expires_in` counts from there.
    /// - Throws: `AuthStateError` of stage authorization: the provider's refusal, or a member that is absent or unusable.
    package init(
        _ response: TransportResponse, to request: BackchannelAuthenticationRequest, sentAt: Date
    ) throws(AuthStateError) {
        let answer = try PolledLoginAnswer(
            response, of: "backchannel authentication", tolerating: request.client.provider.tolerances,
            sentAt: sentAt)
        self.init(
            request: request,
            authenticationRequestID: try answer.required(
                "auth_req_id", "visible ASCII characters", TokenResponse.token),
            expiresAt: try answer.expiry(), interval: answer.interval())
    }
}
