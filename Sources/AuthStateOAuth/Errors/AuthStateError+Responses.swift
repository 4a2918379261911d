import AuthStateJOSE

extension AuthStateError {
    /// An OAuth error response of the token endpoint (RFC 6749, section 5.2).
    static func tokenEndpoint(
        _ response: OAuthErrorResponse, status: Int, headers: TransportHeaders, stage: Stage
    ) -> AuthStateError {
        AuthStateError(
            code(response, status: status), stage: stage, "The token endpoint refused: \(response.summary).",
            hint: response.hint, response: response, httpStatus: status, retryAfter: retryAfter(headers))
    }

    /// The status outranks the error member where it says that the server is busy or broken.
    private static func code(_ response: OAuthErrorResponse, status: Int) -> Code {
        switch status {
        case 408, 429, 503: .temporarilyUnavailable
        case 500...599: response.code == .temporarilyUnavailable ? .temporarilyUnavailable : .serverError
        default: response.code
        }
    }

    /// An answer without a readable OAuth error and with a status that does not belong to success.
    package static func endpoint(_ name: String, _ response: TransportResponse, stage: Stage) -> AuthStateError {
        let retryAfter = retryAfter(response.headers)
        func error(_ code: Code, _ message: String, received: String? = nil, hint: String? = nil) -> AuthStateError {
            AuthStateError(
                code, stage: stage, message, received: received, hint: hint, httpStatus: response.status,
                retryAfter: retryAfter)
        }
        switch response.status {
        case 300...399:
            return error(
                .redirected, "The \(name) answered with a redirect, which is never followed.",
                received: "\(response.status) to \(redactedLocation(response))",
                hint: "Use the endpoint's final URL.")
        case 408, 429, 503:
            return error(
                .temporarilyUnavailable, "The \(name) is busy (status \(response.status)).", hint: "Try again later.")
        case 500...599:
            return error(.serverError, "The \(name) failed (status \(response.status)).", hint: "Try again later.")
        case 401 where stage == .token, 403 where stage == .token:
            return error(
                .invalidClient, "The \(name) refused the client without a reason (status \(response.status)).",
                hint: "Check the client identifier, its secret and how it is sent.")
        case 400, 401, 403:
            return error(
                .refusedWithoutReason, "The \(name) refused without a reason (status \(response.status)).",
                hint: stage == .refresh ? "Log in again." : "Check the client and its credentials.")
        default:
            return error(
                .malformedResponse, "The \(name) answered with status \(response.status).",
                hint: "Check that the endpoint is the right one.")
        }
    }

    private static func redactedLocation(_ response: TransportResponse) -> String {
        response.headers.first("Location").map { URIReference($0).redacted } ?? "no Location"
    }

    /// `Retry-After` in seconds, at most a day; a date is not understood and counts as absent.
    static func retryAfter(_ headers: TransportHeaders) -> Double? {
        guard let value = headers.first("Retry-After"), value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Double(value).map { min($0, 86400) }
    }
}
