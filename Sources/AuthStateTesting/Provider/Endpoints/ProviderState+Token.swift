import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The token endpoint (RFC 6749, section 3.2).
    mutating func token(_ request: Request) throws(ProviderRefusal) -> ProviderDecision {
        let parameters = request.parameters
        let issuer = assertionIssuer(request)
        let client = if let issuer { issuer } else { try authenticate(request) }
        guard let name = parameters["grant_type"] else { throw .invalidRequest("grant_type is missing.") }
        let grantType = GrantType(rawValue: name)
        guard Self.grantTypes.contains(grantType) else {
            throw ProviderRefusal("unsupported_grant_type", "This grant type is not supported.")
        }
        guard client.grantTypes.contains(grantType) else {
            throw ProviderRefusal("unauthorized_client", "The client may not use this grant.")
        }
        let key = try provenKey(ofTokenRequest: request)
        switch grantType {
        case .authorizationCode: return try redeem(parameters, client, key: key)
        case .refreshToken: return try renew(parameters, client, key: key)
        case .deviceCode, .ciba:
            let code = parameters[grantType == .ciba ? "auth_req_id" : "device_code"]
            return try redeemPendingLogin(code, grantType, parameters, client, key: key)
        case .jwtBearer: return try redeemAssertion(parameters, client, key: key)
        case .tokenExchange: return try exchange(parameters, client, key: key)
        default: return try clientToken(parameters, client, key: key)
        }
    }

    /// An authorization code, once (RFC 6749, section 4.1.3; RFC 7636, section 4.6).
    private mutating func redeem(
        _ parameters: Parameters, _ client: Client, key: String?
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard let text = parameters["code"], let code = codes[text], let grant = grants[code.grant],
            grant.clientID == client.id
        else { throw .invalidGrant("The code is not known, or not this client's.") }
        guard !code.isRedeemed else {
            statistics.codeReplays += 1
            revoke(grant: code.grant)
            throw .invalidGrant("The code was redeemed before; the grant is revoked.")
        }
        guard now < code.expiresAt, !grant.isRevoked else { throw .invalidGrant("The code expired.") }
        guard parameters["redirect_uri"] == code.redirectURI else {
            throw .invalidGrant("The redirect URI is not the one of the authorization request.")
        }
        // RFC 9700, section 2.1.1: someone may have taken the challenge out.
        guard code.challenge != nil || parameters["code_verifier"] == nil else {
            throw .invalidGrant("There is a code verifier, and the authorization request had no challenge.")
        }
        if let challenge = code.challenge {
            guard let verifier = parameters["code_verifier"], let digest = try? SHA2.sha256(verifier.utf8),
                ConstantTime.equals(Base64URL.encode(digest), challenge)
            else { throw .invalidGrant("The code verifier does not fit the challenge.") }
        }
        guard code.key == nil || code.key == key else {
            throw .invalidGrant("The code is bound to another key (dpop_jkt).")
        }
        let resources = try resources(parameters, of: grant)
        let details = try authorizationDetails(parameters, of: grant)
        codes[text]?.isRedeemed = true
        return issue(
            code.grant, grant, scopes: grant.scopes, resources: resources, details: details, key: key, isFirst: true)
    }

    /// A refresh token (RFC 6749, section 6; rotation and reuse detection after RFC 9700, section 4.14).
    private mutating func renew(
        _ parameters: Parameters, _ client: Client, key: String?
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard let text = parameters["refresh_token"], let token = refreshTokens[text], let grant = grants[token.grant],
            grant.clientID == client.id
        else { throw .invalidGrant("The refresh token is not known, or not this client's.") }
        guard !grant.isRevoked else { throw .invalidGrant("The grant is revoked.") }
        guard now < token.expiresAt else { throw .invalidGrant("The refresh token expired.") }
        guard token.key == nil || token.key == key else {
            throw .invalidGrant("The refresh token is bound to another key.")
        }
        if let spentAt = token.spentAt {
            statistics.refreshTokenReuses += 1
            guard now - spentAt < configuration.refreshTokenGrace.inSeconds else {
                revoke(grant: token.grant)
                throw .invalidGrant("The refresh token was spent before; the grant is revoked.")
            }
        }
        let wanted = parameters["scope"].map(scopes) ?? grant.scopes
        guard Set(wanted).isSubset(of: grant.scopes) else { throw .invalidScope("The scope is wider than the grant.") }
        let resources = try resources(parameters, of: grant)
        let details = try authorizationDetails(parameters, of: grant)
        if configuration.rotatesRefreshTokens, token.spentAt == nil { refreshTokens[text]?.spentAt = now }
        return issue(
            token.grant, grant, scopes: wanted, resources: resources, details: details, key: key, isFirst: false)
    }

    /// A token in the client's own name (RFC 6749, section 4.4).
    private mutating func clientToken(
        _ parameters: Parameters, _ client: Client, key: String?
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard !client.isPublic else {
            throw ProviderRefusal("unauthorized_client", "Only a client with a secret or a key may do this.")
        }
        let (wanted, resources) = try programWishes(parameters, scope: parameters["scope"])
        let details = try authorizationDetails(parameters)
        return .tokens(
            accessToken(
                grant: nil, client.id, scopes: wanted, resources: resources, details: details, key: key), nil)
    }

    /// The scopes and resources that a program asks for in its own name.
    func programWishes(
        _ parameters: Parameters, scope: String?
    ) throws(ProviderRefusal) -> (scopes: [String], resources: [String]) {
        let wanted = scopes(scope)
        let known = configuration.scopes.subtracting(["openid", "offline_access"])
        guard Set(wanted).isSubset(of: known) else {
            throw .invalidScope("Without a user the scopes are \(known.sorted().joined(separator: " ")).")
        }
        let resources = parameters.values("resource")
        try check(resources: resources)
        return (wanted, resources)
    }

    mutating func revoke(grant id: String) {
        grants[id]?.isRevoked = true
        accessTokens = accessTokens.filter { $0.value.grant != id }
    }
}
