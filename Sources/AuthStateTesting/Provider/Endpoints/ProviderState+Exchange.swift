import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// Token exchange (RFC 8693): a token of this provider for an access token that allows no more, or an ID token for an
    /// assertion of the user's identity.
    mutating func exchange(
        _ parameters: Parameters, _ client: Client, key: String?
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard let subject = try holder(of: "subject_token", parameters) else {
            throw .invalidRequest("subject_token is missing.")
        }
        // A thief can neither use nor exchange a bound token.
        guard (accessTokens[parameters["subject_token"] ?? ""]?.key ?? key) == key else {
            throw .invalidRequest("subject_token is bound to a key that is not proved.")
        }
        _ = try holder(of: "actor_token", parameters)
        if parameters["requested_token_type"] == TokenTypeIdentifier.identityAssertion.rawValue {
            return try identityAssertion(of: subject.grant, parameters)
        }
        let accessTokenType = TokenTypeIdentifier.accessToken.rawValue
        guard [nil, accessTokenType].contains(parameters["requested_token_type"]) else {
            throw .invalidRequest("Only access tokens are issued here.")
        }
        let wanted = parameters["scope"].map(scopes) ?? subject.scopes
        guard Set(wanted).isSubset(of: subject.scopes) else {
            throw .invalidScope("The scope is wider than that of the subject's token.")
        }
        let resources = parameters.values("resource")
        try check(resources: resources)
        var members = accessToken(
            grant: subject.grant, client.id, scopes: wanted,
            resources: resources + parameters.values("audience"), key: key)
        members["issued_token_type"] = .string(accessTokenType)
        return .tokens(members, nil)
    }

    /// An assertion of a user's identity for another server (draft-ietf-oauth-identity-assertion-authz-grant, section 4.3).
    private mutating func identityAssertion(
        of grant: String?, _ parameters: Parameters
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard parameters["subject_token_type"] == TokenTypeIdentifier.idToken.rawValue,
            let user = grant.flatMap({ grants[$0]?.user })
        else { throw .invalidRequest("An ID token proves an identity.") }
        guard let audience = parameters["audience"], let client = configuration.identityAssertionClients[audience]
        else {
            throw ProviderRefusal("invalid_target", "The user may not use this server.")
        }
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": .string(user.subject), "aud": .string(audience),
            "client_id": .string(client), "jti": .string(newToken()), "iat": .number(JSONNumber(Int64(now))),
            "exp": .number(JSONNumber(Int64(now) + 300)),
        ]
        claims["resource"] = parameters["resource"].map { .string($0) }
        claims["scope"] = parameters["scope"].map { .string($0) }
        let token = UnsignedToken(
            claims: claims, algorithm: configuration.answerAlgorithm, type: Self.identityAssertionType)
        return .issuedToken(
            [
                "issued_token_type": .string(TokenTypeIdentifier.identityAssertion.rawValue), "token_type": "N_A",
                "expires_in": 300,
            ], token)
    }

    /// The holder of the token in a parameter; nil when there is none (section 2.1).
    private func holder(
        of name: String, _ parameters: Parameters
    ) throws(ProviderRefusal) -> (grant: String?, scopes: [String])? {
        let (token, type) = (parameters[name], parameters["\(name)_type"])
        guard let token, let type else {
            guard token == nil, type == nil else { throw .invalidRequest("\(name) and \(name)_type belong together.") }
            return nil
        }
        let found: (grant: String?, scopes: [String])?
        switch TokenTypeIdentifier(rawValue: type) {
        case .accessToken:
            found = accessTokens[token].flatMap { now < $0.expiresAt ? ($0.grant, $0.scopes) : nil }
        case .refreshToken:
            found = refreshTokens[token].flatMap { refresh in
                guard now < refresh.expiresAt, refresh.spentAt == nil, let grant = grants[refresh.grant] else {
                    return nil
                }
                return (refresh.grant, grant.scopes)
            }
        case .idToken:
            // The session's identifier is as hard to guess as any token, so it replaces the check of the signature.
            let claims = (try? JSONWebToken(parsing: token))?.claims
            let isCurrent = claims?["exp"]?.doubleValue.map { now < $0 } ?? false
            found = grants.first { isCurrent && $0.value.sessionID == claims?["sid"]?.stringValue }
                .map { ($0.key, $0.value.scopes) }
        default: throw .invalidRequest("Tokens of this type are not known here.")
        }
        guard let found, found.grant.map({ grants[$0]?.isRevoked == false }) ?? true else {
            throw .invalidRequest("\(name) is not known here, or has ended.")
        }
        return found
    }
}
