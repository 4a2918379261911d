import AuthStateFoundation
import AuthStateOAuth

/// What can be used, how long, and what renews it.
extension AuthState.Record {
    /// Returns the time before which the access token is fresh, in seconds since 1970.
    ///
    /// Fresh means: expiry − now > min(leeway, lifetime ÷ 4). Without an expiry a token is fresh for ever; without an
    /// access token, in error, or when a refresh was asked for, never.
    func freshUntil(leeway: Double) -> Double {
        guard authorizationError == nil, !needsTokenRefresh, let response = lastTokenResponse else { return -.infinity }
        return response.freshUntil(leeway: leeway)
    }

    /// Returns the request that renews the tokens; nil when they cannot be renewed.
    func renewalRequest(_ parameters: RenewalParameters) -> TokenRequest? {
        var request: TokenRequest
        if let machineGrant {
            request = machineGrant.request(of: client, parameters)
        } else if let refreshToken {
            request = TokenRequest(
                client, .refreshToken(refreshToken), scopes: parameters.scopes, resources: parameters.resources,
                additionalParameters: parameters.additionalParameters)
            if request.resources.isEmpty {
                request.resources = ResourceIndicators.single(lastAuthorizationResponse?.request.resources ?? resources)
            }
            request.authorizationDetails = parameters.authorizationDetails
        } else {
            return nil
        }
        request.dpopKey = dpopKey
        return request
    }

    /// Returns tokens that are not fresh but have not expired, for use when the provider or the store cannot be reached, or
    /// when the provider refuses without a reason; nil when there are none.
    ///
    /// - Throws: `.notLoggedIn` after a logout.
    func liveTokens(
        insteadOf error: AuthStateError, _ reason: AuthState.Flight.Reason, at now: Date
    ) throws -> TokenResponse? {
        if isLoggedOut { throw AuthStateError.noUserIsLoggedIn }
        guard let needed = reason.validity, !needsTokenRefresh, authorizationError == nil,
            error.kind == .transient || error.kind == .store || error.code == .refusedWithoutReason
                || error.code == .malformedResponse && machineGrant != nil,
            let expiry = accessTokenExpirationDate, expiry > now.addingTimeInterval(needed)
        else { return nil }
        return lastTokenResponse
    }
}

extension AuthState.Ledger {
    /// Returns the tokens that can be used without a renewal; nil when there are none.
    ///
    /// - Parameter now: The time, in seconds since 1970.
    func usableTokens(
        _ parameters: RenewalParameters, reason: AuthState.Flight.Reason, of record: AuthState.Record, at now: Double,
        leeway: Double
    ) -> TokenResponse? {
        guard reason != .explicit, record.authorizationError == nil else { return nil }
        guard let candidate = parameters.isNone ? record.lastTokenResponse : sideTokens[parameters],
            now < (parameters.isNone ? record.freshUntil(leeway: leeway) : candidate.freshUntil(leeway: leeway))
        else { return nil }
        return switch reason {
        case .rejected(let refused) where candidate.accessToken == refused: nil
        case .shortLived(let seconds) where !candidate.lasts(seconds, at: now): nil
        default: candidate
        }
    }
}

extension TokenResponse {
    /// Returns the response without the tokens that do not belong in an answer to the request.
    ///
    /// A client that asks in its own name gets no refresh token (RFC 6749, section 4.4.3), because its credential or
    /// its key renews, and no ID token, because no user logged in.
    func answering(_ request: TokenRequest) -> TokenResponse {
        var response = self
        // RFC 6749, section 5.1: an answer that does not say the scope has the one that was asked for.
        response.scope = scope ?? request.scopes.requested
        guard [.clientCredentials, .jwtBearer].contains(request.grantType) else { return response }
        (response.refreshToken, response.idToken) = (nil, nil)
        return response
    }

    func freshUntil(leeway: Double) -> Double {
        guard let expiry = accessTokenExpirationDate?.timeIntervalSince1970 else { return .infinity }
        let lifetime = expiry - issuedAt.timeIntervalSince1970
        return expiry - min(leeway, max(0, lifetime / 4))
    }
}

extension Tokens.Storage {
    /// Makes the tokens of a response; what it does not say is what the record says.
    convenience init(
        _ response: TokenResponse, of record: AuthState.Record, options: AuthState.Options,
        service: AuthorizationService
    ) {
        self.init(
            response, idToken: record.idToken, idTokenTrust: record.idTokenTrust,
            scope: response.scope ?? record.scope,
            authorizationDetails: response.authorizationDetails ?? record.authorizationDetails,
            freshUntil: response.freshUntil(leeway: options.leeway.inSeconds),
            policy: BearerPolicy(record.client.provider, options: options, service: service),
            dpop: record.dpopKey.map(service.binding))
    }
}
