package import AuthStateFoundation

extension AuthStateError {
    /// An OAuth error response of the token endpoint (RFC 6749, section 5.2), or of one that answers as it does.
    static func refusal(
        by name: String, _ error: OAuthErrorResponse, _ response: TransportResponse, stage: Stage, now: Date? = nil
    ) -> AuthStateError {
        let code = code(error, status: response.status)
        let refusal = AuthStateError(
            code, stage: stage, "The \(name) refused: \(error.summary).",
            hint: code == error.code ? error.hint(at: stage) : nil, response: error, httpStatus: response.status,
            retryAfter: retryAfter(response.headers, now: now))
        guard refusal.code == .invalidDPoPProof, let now else { return refusal }
        return refusal.blamingClock(response.headers, now: now)
    }

    /// The status outranks the error member where it says that the server is busy or broken; not where the member says
    /// how often to ask: some providers slow a poll down with 429.
    static func code(_ response: OAuthErrorResponse, status: Int) -> Code {
        switch (status, response.code) {
        case (400...499, .slowDown), (400...499, .authorizationPending): response.code
        case (408, _), (429, _), (503, _): .temporarilyUnavailable
        case (500...599, let code): code == .temporarilyUnavailable ? code : .serverError
        default: response.code
        }
    }

    /// An answer without a readable OAuth error and with a status that does not belong to success.
    package static func endpoint(
        _ name: String, _ response: TransportResponse, stage: Stage, now: Date? = nil
    ) -> AuthStateError {
        let retryAfter = retryAfter(response.headers, now: now)
        let reason = response.foreignReason
        let manner = reason == nil ? "without a reason" : "in a form of its own"
        func error(
            _ code: Code, _ message: String, expected: String? = nil, received: String? = nil, hint: String? = nil
        ) -> AuthStateError {
            AuthStateError(
                code, stage: stage, message, expected: expected, received: received ?? reason, hint: hint,
                httpStatus: response.status,
                retryAfter: retryAfter)
        }
        switch response.status {
        case 300...399:
            return error(
                .redirected, "The \(name) answered with a redirect, which is never followed.",
                received: "\(response.status) to \(redactedLocation(response))")
        // 409: another renewal is in progress.
        case 408, 429, 503,
            409 where stage == .refresh:
            return error(.temporarilyUnavailable, "The \(name) is busy (status \(response.status)).")
        case 500...599:
            return error(.serverError, "The \(name) failed (status \(response.status)).")
        case 400...403 where response.isPage: return page(name, response, stage: stage, retryAfter)
        case 407:
            return error(
                .unreachable, "A proxy on the way to the \(name) wants a password (status 407).",
                hint: "Give the user and the password of the proxy in the variable that names it.")
        case 401 where stage == .token, 403 where stage == .token:
            return error(
                .invalidClient,
                "The \(name) refused the client \(manner) (status \(response.status)).",
                hint: "Check the client identifier, its secret and how it is sent.")
        // 409 and 422 are how some frameworks refuse a member.
        case 400, 401, 403,
            409 where stage == .registration, 422 where stage == .registration:
            return error(
                .refusedWithoutReason, "The \(name) refused \(manner) (status \(response.status)).",
                hint: refusedHints[stage] ?? "Check the client and its credentials.")
        default:
            return error(
                .malformedResponse, "The \(name) answered with status \(response.status).",
                hint: "Check that the endpoint is the right one.")
        }
    }

    private static func page(
        _ name: String, _ response: TransportResponse, stage: Stage, _ retryAfter: Duration? = nil
    ) -> AuthStateError {
        // A renewal may succeed when the page is gone: the login, and a token that is still valid, stay.
        AuthStateError(
            stage == .refresh ? .temporarilyUnavailable : .malformedResponse, stage: stage,
            "The \(name) answered with a page for people (status \(response.status)).",
            expected: "JSON", received: response.mediaType,
            hint:
                "A firewall or a proxy may have answered in its place: check the network and the endpoint, then try again.",
            httpStatus: response.status, retryAfter: retryAfter)
    }

    /// An answer of success that is not the JSON object which belongs there.
    ///
    /// - Parameter mayBeForm: Whether there is a tolerance for a form.
    static func noObject(
        _ name: String, _ response: TransportResponse, stage: Stage, mayBeForm: Bool = false
    ) -> AuthStateError {
        guard !response.isPage else { return page(name, response, stage: stage) }
        let isForm = mayBeForm && response.mediaType == "application/x-www-form-urlencoded"
        return AuthStateError(
            .malformedResponse, stage: stage, "The \(name) did not answer with a JSON object.",
            received: [response.mediaType, "\(response.body.count) bytes", response.jsonFault]
                .compactMap(\.self).joined(separator: ", "),
            hint: isForm
                ? "Tolerate formEncodedTokens if the provider is known to answer so."
                : "Check that the \(name) is the right one.",
            httpStatus: response.status)
    }

    /// The advice when an endpoint gives no reason.
    private static let refusedHints: [Stage: String] = [
        .authorization: "Check that the provider offers this to the client, and what the client proves itself with.",
        .refresh: "Log in again.",
        .registration: "Check what is registered, or register the client on the provider's pages.",
        .logout: "The tokens stay valid until they expire.",
    ]

    private static func redactedLocation(_ response: TransportResponse) -> String {
        response.headers["Location"].map { URIReference($0).redacted } ?? "no Location"
    }

    /// `Retry-After` (RFC 9110, section 10.2.3), at most a day.
    ///
    /// A date is counted from the answer's own `Date`, so that it does not matter whose clock is right.
    static func retryAfter(_ headers: TransportHeaders, now: Date?) -> Duration? {
        guard let value = headers["Retry-After"], !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Double(value).map { .seconds(min($0, 86400)) }
        }
        guard let end = HTTPDate.parse(value), let start = headers["Date"].flatMap(HTTPDate.parse) ?? now else {
            return nil
        }
        return .seconds(min(max(0, end.timeIntervalSince(start)), 86400))
    }

    /// Returns the error with a hint at this machine's clock, where its offset from the answer's `Date` is the likely
    /// cause: proofs and assertions carry the time of their making and are valid for about a minute.
    package func blamingClock(_ headers: TransportHeaders, now: Date) -> AuthStateError {
        guard let date = headers["Date"].flatMap(HTTPDate.parse) else { return self }
        let seconds = now.timeIntervalSince(date).rounded()
        guard abs(seconds) > Self.usualDifference else { return self }
        var copy = self
        copy.hint =
            "Set this machine's clock: it is \(Int(abs(seconds))) s \(seconds < 0 ? "behind" : "ahead of") the server's."
        return copy
    }

    /// The clock difference, plus the transit time of an answer, that causes no failure, in seconds.
    private static let usualDifference: Double = 30

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

    /// Wraps any error in the terms of the flow.
    package init(wrapping error: any Error, stage: Stage) {
        self =
            error as? AuthStateError
            ?? AuthStateError(.connectionLost, stage: stage, "The provider could not be asked.", underlying: error)
    }
}
