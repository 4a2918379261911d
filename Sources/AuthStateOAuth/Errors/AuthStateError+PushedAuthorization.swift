import AuthStateFoundation

extension AuthStateError {
    /// An error of the pushed authorization request endpoint (RFC 9126, section 2.3).
    static func pushedAuthorization(
        _ error: OAuthErrorResponse?, _ response: TransportResponse, now: Date
    ) -> AuthStateError {
        let name = "pushed authorization request endpoint"
        guard let error else {
            var refusal = endpoint(name, response, stage: .authorization, now: now)
            switch response.status {
            case _ where response.isPage: break
            case 400:
                refusal.code = .invalidRequest
                refusal.hint = "Check the request's parameters, and that the redirect URI is registered."
            case 401, 403:
                refusal.code = .invalidClient
                refusal.hint =
                    "Check the client identifier, its secret or key, the key that signs the request, and that the "
                    + "redirect URI is registered."
            case 405:
                refusal.code = .endpointMissing
                refusal.hint = "Check that the endpoint is the right one: it does not take POST."
            case 413:
                refusal.code = .invalidRequest
                refusal.hint = "Ask for less: the request is longer than the provider takes."
            default: break
            }
            return refusal
        }
        return refusal(by: name, error, response, stage: .authorization, now: now)
    }
}
