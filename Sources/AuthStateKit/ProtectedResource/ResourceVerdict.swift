package import AuthStateFoundation
import AuthStateJOSE
package import AuthStateOAuth

/// The verdict of a protected resource's answer on the access token (RFC 6750, section 3.1; RFC 9470).
package enum ResourceVerdict: Sendable, Equatable {
    /// The answer says nothing about the token; its status is the caller's to handle.
    case answered
    /// The token is refused; another one may be accepted.
    case tokenRejected
    /// The proof lacks the resource's nonce (RFC 9449, section 9): the same token works with another proof.
    case nonceWanted
    /// The token is valid but not sufficient: the error is typed, and the state stays unchanged.
    case refused(AuthStateError)

    package init(_ response: TransportResponse, now: Date) {
        self.init(status: response.status, challenges: response.headers[values: "WWW-Authenticate"])
        guard case .refused(var error) = self else { return }
        if error.code == .invalidDPoPProof { error = error.blamingClock(response.headers, now: now) }
        if !response.body.isEmpty {
            error.responseBody = String(decoding: response.body.prefix(1024), as: UTF8.self).printable()
        }
        self = .refused(error)
    }

    package init(status: Int, challenges lines: [String]) {
        guard (400...403).contains(status) else {
            self = .answered
            return
        }
        let parsed = AuthenticationChallenge.parse(lines)
        let ours = (parsed ?? []).filter { $0.hasScheme("Bearer") || $0.hasScheme("DPoP") }
        if status <= 401, ours.contains(where: { $0.hasScheme("DPoP") && $0.error == "use_dpop_nonce" }) {
            if status != 401 { Leniency.nonceStatus.note("\(status)") }
            self = .nonceWanted
            return
        }
        guard status == 401 || status == 403 else {
            self = .answered
            return
        }
        if let challenge = ours.first(where: { Self.typed[$0.error ?? ""] != nil }),
            let code = Self.typed[challenge.error ?? ""]
        {
            self = .refused(AuthStateError(code, challenge: challenge, status: status))
            return
        }
        // No challenge, or one that cannot be read: many servers answer 401 like that to an expired token.
        let isUnclear = lines.isEmpty || parsed == nil
        let isOurs = ours.contains { $0.error == nil || $0.error == "invalid_token" }
        self = status == 401 && (isUnclear || isOurs) ? .tokenRejected : .answered
    }

    private static let typed: [String: AuthStateError.Code] = [
        "insufficient_scope": .insufficientScope,
        "insufficient_user_authentication": .insufficientUserAuthentication,
        "invalid_dpop_proof": .invalidDPoPProof,
    ]
}

extension AuthStateError {
    init(_ code: Code, challenge: AuthenticationChallenge, status: Int) {
        let response = OAuthErrorResponse(
            error: challenge.error ?? code.rawValue, errorDescription: challenge.errorDescription)
        let (message, expected, hint): (String, String?, String?) =
            switch code {
            case .insufficientScope:
                (
                    "The access token does not allow this request.", challenge.scope,
                    "Log in again with the scope that is needed."
                )
            case .invalidDPoPProof:
                ("The resource refused the DPoP proof.", challenge.parameters["algs"], response.hint(at: .resource))
            default:
                (
                    "The resource wants a stronger or newer login.",
                    challenge.parameters["acr_values"] ?? challenge.parameters["max_age"],
                    "Log in again as the challenge asks."
                )
            }
        self.init(
            code, stage: .resource, message, expected: expected?.printable(), hint: hint, response: response,
            httpStatus: status)
        self.challenge = challenge.cut
    }

    /// Makes the error of a refused access token when nothing else can be tried.
    package init(_ rejection: TokenRejected, canRenew: Bool) {
        let challenge = AuthenticationChallenge.parse(rejection.challenges).flatMap(AuthenticationChallenge.answerable)
        let detail = challenge?.errorDescription ?? challenge?.error
        self.init(
            .tokenRejected, stage: .resource,
            canRenew
                ? "The resource refused the access token, also after a renewal."
                : "The resource refused the access token, and it cannot be renewed.",
            received: detail, hint: "Log in again.",
            response: challenge?.error.map {
                OAuthErrorResponse(error: $0, errorDescription: challenge?.errorDescription)
            },
            httpStatus: 401)
        self.challenge = challenge?.cut
        responseBody = rejection.body?.printable()
    }

    func at(_ stage: Stage) -> AuthStateError {
        var copy = self
        copy.stage = stage
        return copy
    }
}
