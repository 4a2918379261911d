import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

extension ProviderState {
    /// Dynamic client registration (RFC 7591, section 3).
    mutating func register(_ request: OpenIDProvider.Request, now: Double) throws(ProviderRefusal) -> LoopbackResponse {
        guard configuration.allowsRegistration else {
            throw ProviderRefusal("access_denied", "Registration is closed.", status: 403)
        }
        guard let members = (try? JSONValue(parsing: request.body))?.objectValue else {
            throw ProviderRefusal("invalid_client_metadata", "The request is not a JSON object.")
        }
        func strings(_ name: String) -> [String]? { members[name]?.arrayValue?.compactMap(\.stringValue) }
        let redirectURIs = strings("redirect_uris") ?? []
        guard !redirectURIs.isEmpty, redirectURIs.allSatisfy({ (try? RedirectURI($0)) != nil }) else {
            throw ProviderRefusal("invalid_redirect_uri", "A redirect URI is missing or malformed.")
        }
        let method = members["token_endpoint_auth_method"]?.stringValue ?? "client_secret_basic"
        guard Self.authenticationMethods.contains(method) else {
            throw ProviderRefusal("invalid_client_metadata", "This client authentication is not supported.")
        }
        let keys = members["jwks"].flatMap { try? JSONWebKeySet(json: $0).keys } ?? []
        guard method != "private_key_jwt" || !keys.isEmpty else {
            throw ProviderRefusal("invalid_client_metadata", "This client authentication needs a public key in jwks.")
        }
        let grantTypes = strings("grant_types") ?? ["authorization_code", "refresh_token"]
        let client = OpenIDProvider.Client(
            id: "client-\(newToken(now: now).prefix(8))",
            secret: ["none", "private_key_jwt"].contains(method) ? nil : newToken(now: now), keys: keys,
            authenticationMethod: ClientAuthenticationMethod(rawValue: method), redirectURIs: redirectURIs,
            postLogoutRedirectURIs: strings("post_logout_redirect_uris"),
            grantTypes: Set(grantTypes.map { GrantType(rawValue: $0) }))
        configuration.clients.append(client)
        var answer = members
        answer["client_id"] = .string(client.id)
        answer["client_id_issued_at"] = .number(JSONNumber(Int64(now)))
        answer["token_endpoint_auth_method"] = .string(method)
        answer["grant_types"] = .array(grantTypes.map { .string($0) })
        if let secret = client.secret {
            answer["client_secret"] = .string(secret)
            answer["client_secret_expires_at"] = 0
        }
        return .json(answer, status: 201)
    }
}
