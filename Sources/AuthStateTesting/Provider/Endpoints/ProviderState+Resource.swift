import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// The userinfo endpoint (OpenID Connect Core, section 5.3).
    mutating func userInfo(_ request: Request) throws(ProviderRefusal) -> ProviderDecision {
        let token = try admit(request)
        guard let grant = token.grant.flatMap({ grants[$0] }), token.scopes.contains("openid") else {
            throw .bearer("insufficient_scope", "Userinfo needs the scope openid.", status: 403, scope: "openid")
        }
        var claims = grant.user.claims(for: Set(token.scopes), and: grant.requestedClaims.userInfo)
        let client = configuration.client(grant.clientID)
        let isSigned = configuration.signsUserInfo || client?.userInfoAlgorithm != nil
        guard isSigned else { return .userInfo(claims) }
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(grant.clientID)
        return .signedUserInfo(
            UnsignedToken(
                claims: claims, algorithm: client?.userInfoAlgorithm ?? configuration.signingAlgorithm,
                secret: client?.secret))
    }

    /// A protected resource that answers requests with a valid token.
    mutating func resource(_ request: Request) throws(ProviderRefusal) -> LoopbackResponse {
        let token = try admit(request)
        let missing = missingScopes(of: request, having: token.scopes)
        guard missing.isEmpty else {
            let scope = configuration.protectedResource.namesScopes ? missing.joined(separator: " ") : nil
            throw .bearer("insufficient_scope", "The token lacks a scope.", status: 403, scope: scope)
        }
        if configuration.protectedResource.requiresAudience, !token.resources.contains(url(of: .resource)) {
            throw .bearer("invalid_token", "The access token is for another resource.")
        }
        let user = token.grant.flatMap { grants[$0]?.user }
        let name = user?.claims["name"]?.stringValue ?? user?.name ?? token.clientID
        var members: [String: JSONValue] = [
            "message": .string("Hello, \(name)!"), "client_id": .string(token.clientID),
            "scope": .string(token.scopes.joined(separator: " ")), "method": .string(request.method.rawValue),
        ]
        if !token.resources.isEmpty { members["aud"] = .array(token.resources.map { .string($0) }) }
        members["sub"] = user.map { .string($0.subject) }
        return .json(members)
    }

    /// The access token of a request, when it is valid (RFC 6750, sections 2 and 3; RFC 9449, section 7).
    private mutating func admit(_ request: Request) throws(ProviderRefusal) -> AccessToken {
        let bound = request.credentials(of: "DPoP")
        let sent = bound ?? request.bearerToken ?? (request.method == .post ? request.parameters["access_token"] : nil)
        let needsDPoP = request.endpoint == .resource && configuration.protectedResource.requiresDPoP
        guard let sent else {
            throw needsDPoP ? .dpop(nil, "An access token is needed.") : .bearer(nil, "An access token is needed.")
        }
        let key = try provenKey(of: request, accessToken: sent)
        if rejections.remaining > 0 {
            rejections.remaining -= 1
            throw ProviderRefusal(
                "invalid_token", "The access token was refused.", status: 401, challenge: rejections.challenge)
        }
        if request.endpoint == .resource, configuration.protectedResource.acceptsForeignToken?(sent) == true {
            return AccessToken(clientID: "", scopes: configuration.scopes.sorted(), expiresAt: .infinity)
        }
        guard let token = accessTokens[sent] else {
            throw .bearer("invalid_token", "The access token is not known, or was revoked.")
        }
        guard now < token.expiresAt else { throw .bearer("invalid_token", "The access token expired.") }
        // A thief would send a bound token without its key (section 7.2).
        guard token.key == nil ? bound == nil : bound != nil && token.key == key else {
            throw .dpop("invalid_token", "The access token is bound to another key, or to none.")
        }
        if needsDPoP, token.key == nil { throw .dpop("invalid_token", "The access token has to be bound to a key.") }
        return token
    }
}
