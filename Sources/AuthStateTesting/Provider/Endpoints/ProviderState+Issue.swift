import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The tokens for a grant (RFC 6749, section 5.1; OpenID Connect Core, sections 3.1.3.3 and 12.2).
    mutating func issue(
        _ id: String, _ grant: Grant, scopes: [String], resources: [String] = [], details: [AuthorizationDetail] = [],
        key: String? = nil, isFirst: Bool
    ) -> ProviderDecision {
        var members = accessToken(
            grant: id, grant.clientID, scopes: scopes, resources: resources, details: details, key: key)
        let isWanted = !configuration.refreshTokensNeedOfflineAccess || grant.scopes.contains("offline_access")
        let client = configuration.client(grant.clientID)
        let isAllowed = client?.grantTypes.contains(.refreshToken) == true
        if isWanted, isAllowed, isFirst || configuration.rotatesRefreshTokens {
            let token = newToken()
            refreshTokens[token] = RefreshToken(
                grant: id, key: client?.isPublic == true ? key : nil,
                expiresAt: now + (configuration.refreshTokenLifetime?.inSeconds ?? .infinity))
            members["refresh_token"] = .string(token)
        }
        guard grant.scopes.contains("openid"), isFirst || configuration.renewalsIssueIDTokens else {
            return .tokens(members, nil)
        }
        // The nonce belongs to the login: a renewed token has none (section 12.2).
        let nonce = isFirst ? grant.nonce : nil
        return .tokens(members, idToken(for: grant, nonce: nonce, accessToken: members["access_token"]?.stringValue))
    }

    mutating func accessToken(
        grant: String?, _ clientID: String, scopes: [String], resources: [String] = [],
        details: [AuthorizationDetail] = [], key: String? = nil
    ) -> [String: JSONValue] {
        let token = newToken()
        let lifetime = configuration.accessTokenLifetime.inSeconds
        accessTokens[token] = AccessToken(
            grant: grant, clientID: clientID, scopes: scopes, resources: resources, key: key, expiresAt: now + lifetime)
        statistics.accessTokensIssued += 1
        var members: [String: JSONValue] = [
            "access_token": .string(token), "token_type": key == nil ? "Bearer" : "DPoP",
            "expires_in": JSONValue(floatLiteral: lifetime),
        ]
        // RFC 6749, section 3.3: a scope has a name at least.
        if !scopes.isEmpty { members["scope"] = .string(scopes.joined(separator: " ")) }
        if !details.isEmpty { members["authorization_details"] = .array(details.map(\.json)) }
        return members
    }

    func idToken(for grant: Grant, nonce: String?, accessToken: String?) -> UnsignedToken {
        let issuedAt = Int64(now.rounded(.down))
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": .string(grant.user.subject), "aud": .string(grant.clientID),
            "azp": .string(grant.clientID), "iat": .number(JSONNumber(issuedAt)),
            "exp": .number(JSONNumber(issuedAt + Int64(configuration.idTokenLifetime.inSeconds))),
            "auth_time": .number(JSONNumber(Int64(grant.authenticatedAt.rounded(.down)))),
            "sid": .string(grant.sessionID),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        // Most providers name the user here too.
        let names: Set = grant.scopes.contains("profile") ? ["name", "preferred_username"] : []
        claims.merge(grant.user.claims.filter { names.union(grant.requestedClaims.idToken).contains($0.key) }) {
            own, _ in own
        }
        let client = configuration.client(grant.clientID)
        return UnsignedToken(
            claims: claims, algorithm: client?.idTokenAlgorithm ?? configuration.signingAlgorithm,
            secret: client?.secret, accessToken: accessToken)
    }
}
