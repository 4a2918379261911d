import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// Token revocation (RFC 7009): a refresh token takes its grant along, an unknown token is no error.
    mutating func revoke(_ request: Request) throws(ProviderRefusal) -> LoopbackResponse {
        let client = try authenticate(request)
        let text = try tokenParameter(request)
        if let token = refreshTokens[text], grants[token.grant]?.clientID == client.id {
            revoke(grant: token.grant)
        } else if accessTokens[text]?.clientID == client.id {
            accessTokens[text] = nil
        }
        return LoopbackResponse(status: 200, headers: ["Cache-Control": "no-store"])
    }

    /// Token introspection (RFC 7662), for the client that the token was issued to.
    mutating func introspect(_ request: Request) throws(ProviderRefusal) -> LoopbackResponse {
        let client = try authenticate(request)
        let text = try tokenParameter(request)
        if let token = accessTokens[text], token.clientID == client.id, now < token.expiresAt {
            var members = description(of: token.grant, client, scopes: token.scopes, expiresAt: token.expiresAt)
            // RFC 9449, section 6.2.
            if let key = token.key {
                members["cnf"] = ["jkt": .string(key)]
                members["token_type"] = "DPoP"
            }
            if !token.resources.isEmpty { members["aud"] = .array(token.resources.map { .string($0) }) }
            return .json(members)
        }
        if let token = refreshTokens[text], let grant = grants[token.grant], grant.clientID == client.id,
            !grant.isRevoked, token.spentAt == nil, now < token.expiresAt
        {
            return .json(description(of: token.grant, client, scopes: grant.scopes, expiresAt: token.expiresAt))
        }
        return .json(["active": false])
    }

    private func tokenParameter(_ request: Request) throws(ProviderRefusal) -> String {
        guard let token = request.parameters["token"] else { throw .invalidRequest("token is missing.") }
        return token
    }

    private func description(
        of grant: String?, _ client: Client, scopes: [String], expiresAt: Double
    ) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "active": true, "client_id": .string(client.id), "scope": .string(scopes.joined(separator: " ")),
            "iss": .string(issuer),
        ]
        members["sub"] = grant.flatMap { grants[$0] }.map { .string($0.user.subject) }
        if expiresAt.isFinite { members["exp"] = .number(JSONNumber(Int64(expiresAt))) }
        return members
    }
}
