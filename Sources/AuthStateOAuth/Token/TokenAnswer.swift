package import AuthStateFoundation
package import AuthStateJOSE

package enum TokenAnswer: Sendable, Redacted {
    /// Tokens.
    case tokens(TokenResponse)
    /// The provider refused, or cannot answer now.
    case error(AuthStateError)
    /// An answer with status 200 that fails a check; its refresh token is kept, as the former may no longer be valid.
    case refused(AuthStateError, refreshToken: String?)

    package var description: String {
        switch self {
        case .tokens(let response): response.description
        case .error(let error): error.description
        case .refused(let error, let refreshToken): "\(error) Refresh token: \(refreshToken == nil ? "none" : "kept")."
        }
    }

    package func mapError(_ transform: (AuthStateError) -> AuthStateError) -> TokenAnswer {
        switch self {
        case .tokens: self
        case .error(let error): .error(transform(error))
        case .refused(let error, let refreshToken): .refused(transform(error), refreshToken: refreshToken)
        }
    }
}

extension TokenAnswer {
    /// Reads an answer (RFC 6749, sections 5.1 and 5.2); lifetimes count from `sentAt`, when the request was sent.
    package init(_ response: TransportResponse, to request: TokenRequest, sentAt: Date) {
        let tolerances = request.client.provider.tolerances
        let json = response.tokenDocument(tolerating: tolerances)
        let isSuccess = (200...299).contains(response.status)
        let refreshToken = isSuccess ? json?["refresh_token"]?.stringValue.flatMap(TokenResponse.token) : nil
        if !isSuccess || TrustCheck.tokenResponseError.isOn,
            let error = OAuthErrorResponse(json, tolerating: tolerances)
        {
            var failure = AuthStateError.refusal(
                by: "token endpoint", error, response, stage: request.stage, now: sentAt)
            // The words count where the status says that the request was wrong, not where the server is busy.
            if request.grantType == .refreshToken, error.code == failure.code {
                if error.refusesRefreshToken {
                    (failure.code, failure.hint) = (.invalidGrant, "Sign in again.")
                } else if error.seemsToRefuseRefreshToken {
                    (failure.code, failure.hint) = (.refusedWithoutReason, "Log in again.")
                }
            }
            // ServiceNow answers so to a dead refresh token or a wrong secret, Auth0 to a wrong secret. The answer to a poll is the user's.
            if response.status == 401, ![.deviceCode, .ciba].contains(request.grantType) {
                switch failure.code {
                case .serverError where request.grantType == .refreshToken:
                    (failure.code, failure.hint) = (.refusedWithoutReason, "Log in again.")
                case .serverError, .accessDenied:
                    (failure.code, failure.hint) = (.invalidClient, AuthStateError.advice[.invalidClient])
                default: break
                }
            }
            if failure.code == .invalidRequest, request.grantType != .authorizationCode,
                failure.recognizedFailure == nil
            {
                // No redirect URI was sent.
                failure.hint = "Check the request's parameters."
            }
            if failure.code == .invalidGrant, request.grantType == .jwtBearer {
                failure.hint = "Check the key, the assertion's issuer, subject and audience, and this machine's clock."
                failure = failure.blamingClock(response.headers, now: sentAt)
            }
            if failure.code == .invalidDPoPProof, request.dpopKey == nil {
                failure.hint = "The provider wants tokens to be bound to a key: give the request a dpopKey."
            }
            // A success with an `error` member and a refresh token contradicts itself: the refresh token is kept.
            self = refreshToken == nil ? .error(failure) : .refused(failure, refreshToken: refreshToken)
            return
        }
        do throws(AuthStateError) {
            guard TrustCheck.tokenResponseStatus.holds(response.isSuccess(200)) else {
                throw .endpoint("token endpoint", response, stage: request.stage, now: sentAt)
            }
            self = .tokens(try TokenResponse(json: json, response, to: request, sentAt: sentAt))
        } catch {
            var error = error
            // A page in place of a renewal's answer did not come from the provider, nor one to a poll: the user may yet confirm.
            // With another status it did: the endpoint is another one, or the client is refused.
            if response.isPage, isSuccess || [400, 403].contains(response.status),
                [.deviceCode, .ciba].contains(request.grantType)
            {
                error.code = .temporarilyUnavailable
            }
            let isAnswer = isSuccess && error.code != .temporarilyUnavailable
            self = isAnswer ? .refused(error, refreshToken: refreshToken) : .error(error)
        }
    }
}

extension TokenResponse {
    private static let named: Set<String> = [
        "access_token", "token_type", "expires_in", "refresh_token", "id_token", "scope", "authorization_details",
    ]

    fileprivate init(
        json: JSONValue?, _ response: TransportResponse, to request: TokenRequest, sentAt: Date
    ) throws(AuthStateError) {
        guard let members = (json?.objectValue).map(AnswerMembers.init) else {
            throw .noObject("token endpoint", response, stage: request.stage, mayBeForm: true)
        }
        func refusal(_ member: String, _ expected: String) -> AuthStateError {
            AuthStateError(
                .malformedResponse, stage: request.stage, "The token response's \(member) cannot be used.",
                expected: expected, received: members.members[member] == nil ? "nothing" : "something else",
                httpStatus: response.status)
        }
        guard TrustCheck.tokenResponseError.holds(!members.isError) else { throw refusal("error", "no error") }
        guard let accessToken = members.text("access_token"),
            TrustCheck.tokenResponseAccessToken.holds(Self.token(accessToken) != nil)
        else {
            var error = refusal("access_token", "visible ASCII characters")
            error.hint =
                members.text("id_token") == nil
                ? "Check that the token endpoint is the right one."
                : "The answer has an ID token alone: ask for a scope of the client's own API beside openid."
            throw error
        }
        let tokenType = members.onlyText("token_type")
        try Self.check(tokenType, of: request)
        if case .tokenExchange(let exchange) = request.grant, members.text("issued_token_type") == nil {
            // Keycloak before 26 leaves it out of an answer with an access token.
            guard [nil, .accessToken].contains(exchange.requestedTokenType),
                tokenType?.equalsIgnoringASCIICase("N_A") != true
            else { throw refusal("issued_token_type", "the type of the token that was issued") }
            Leniency.unusableMember.note("issued_token_type")
        }
        let lifetime = members.number("expires_in")
        guard TrustCheck.tokenResponseLifetime.holds(lifetime ?? 0 >= 0) else {
            throw refusal("expires_in", "a number of seconds")
        }
        let refreshToken = members.text("refresh_token")
        guard TrustCheck.tokenResponseRefreshToken.holds(refreshToken.map { Self.token($0) != nil } ?? true) else {
            throw refusal("refresh_token", "visible ASCII characters")
        }
        let details = members["authorization_details"]
        let granted = details.flatMap { [AuthorizationDetail](authorizationDetails: $0) }
        if details != nil, granted == nil { Leniency.unusableMember.note("authorization_details") }
        self.init(
            accessToken: accessToken, tokenType: request.client.provider.tolerances.tokenType(tokenType),
            issuedAt: sentAt,
            // At most ten years.
            accessTokenExpirationDate: lifetime.map { sentAt.addingTimeInterval(min($0, 10 * 365 * 86400)) },
            refreshToken: refreshToken, idToken: members.text("id_token"),
            scope: request.client.provider.tolerances.grantedScope(members.words("scope")),
            authorizationDetails: granted,
            additionalMembers: members.members.filter { !Self.named.contains($0.key) })
    }

    /// Refuses tokens of a type that was not asked for.
    ///
    /// With a DPoP key bearer tokens are a downgrade: the state relies on their binding (RFC 9449, section 5).
    private static func check(_ type: String?, of request: TokenRequest) throws(AuthStateError) {
        // RFC 8693, section 2.2.1: the issued token is not an access token.
        if request.grantType == .tokenExchange, type?.equalsIgnoringASCIICase("N_A") == true { return }
        let isBound = request.dpopKey != nil
        func refusal(_ message: String, hint: String) -> AuthStateError {
            AuthStateError(
                .unsupportedTokenType, stage: request.stage, message, expected: isBound ? "DPoP" : "Bearer",
                received: type ?? "no token_type", hint: hint, httpStatus: 200)
        }
        let meant = request.client.provider.tolerances.tokenType(type)
        if meant.equalsIgnoringASCIICase("Bearer") {
            guard TrustCheck.tokenResponseDowngrade.holds(!isBound) else {
                throw refusal(
                    "The provider issued a token that is not bound to the DPoP key.",
                    hint: "Turn DPoP on for the client at the provider, or log in without a DPoP key.")
            }
            return
        }
        let isFitting = isBound && type?.equalsIgnoringASCIICase("DPoP") == true
        guard TrustCheck.tokenResponseType.holds(isFitting) else {
            let isUnwanted = !isBound && type?.equalsIgnoringASCIICase("DPoP") == true
            throw refusal(
                "The provider issued another type of token.",
                hint: isUnwanted
                    ? "Give the request a dpopKey, to which the token can be bound."
                    : type == nil
                        ? "Tolerate missingTokenType if the provider is known to leave it out."
                        : meant.equalsIgnoringASCIICase("access_token")
                            ? "Tolerate accessTokenType if the provider is known to write this for Bearer."
                            : "Have the provider issue tokens of this type to the client.")
        }
    }

    /// A token that fits into a header: one or more visible ASCII characters.
    static func token(_ text: String) -> String? {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }
}

extension Set<Tolerance> {
    /// The token type of an answer, with tolerated values read as Bearer.
    fileprivate func tokenType(_ type: String?) -> String {
        switch type {
        case nil where contains(.missingTokenType): return "Bearer"
        case let type? where contains(.accessTokenType) && type.equalsIgnoringASCIICase("access_token"): return "Bearer"
        case let type? where type.utf8.count > 6 && String(type.prefix(6)).equalsIgnoringASCIICase("Bearer"):
            Leniency.bearerTokenType.note("token_type")
            return "Bearer"
        default: return type ?? ""
        }
    }
}

extension TrustCheck {
    /// Only a 200 brings tokens; no redirect does (RFC 6749, 5.1; RFC 9700, 4.12).
    package static let tokenResponseStatus = TrustCheck("tokenResponseStatus")
    /// An answer with `error` is an error, regardless of its other members (RFC 6749, 5.2).
    package static let tokenResponseError = TrustCheck("tokenResponseError")
    /// `access_token` is visible ASCII, so that it cannot write a header of its own (RFC 6749, A.12).
    package static let tokenResponseAccessToken = TrustCheck("tokenResponseAccessToken")
    /// `token_type` is one that can be used (RFC 6749, 7.1).
    package static let tokenResponseType = TrustCheck("tokenResponseType")
    /// The response to a request with a DPoP key is bound to that key, and is no bearer token (RFC 9449, 5).
    package static let tokenResponseDowngrade = TrustCheck("tokenResponseDowngrade")
    /// `refresh_token` is visible ASCII (RFC 6749, A.17).
    package static let tokenResponseRefreshToken = TrustCheck("tokenResponseRefreshToken")
    /// `expires_in` is a number of seconds; another value means no unlimited lifetime (RFC 6749, 5.1 and A.14).
    package static let tokenResponseLifetime = TrustCheck("tokenResponseLifetime")
}

extension TransportResponse {
    /// The members of a token endpoint's answer; nil when it has no document of a kind that is accepted.
    func tokenDocument(tolerating tolerances: Set<Tolerance>) -> JSONValue? {
        if tolerances.contains(.formEncodedTokens), mediaType == "application/x-www-form-urlencoded" {
            guard let form = Parameters(decoding: String(decoding: body, as: UTF8.self)), form.repeatedName == nil
            else { return nil }
            return .object(Dictionary(uniqueKeysWithValues: form.names.map { ($0, .string(form[$0] ?? "")) }))
        }
        return json
    }
}
