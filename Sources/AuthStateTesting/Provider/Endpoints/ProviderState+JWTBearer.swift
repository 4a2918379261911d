import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The client that an assertion grant names when nothing else in the request does (RFC 7521, section 4.1).
    func assertionIssuer(_ request: Request) -> Client? {
        let parameters = request.parameters
        guard parameters["grant_type"] == GrantType.jwtBearer.rawValue, request.headers["Authorization"] == nil,
            parameters["client_id"] == nil, parameters["client_assertion"] == nil,
            let assertion = parameters["assertion"].flatMap({ try? JSONWebToken(parsing: $0) })
        else { return nil }
        if party(of: assertion) != nil, let subject = assertion.claims["sub"]?.stringValue {
            return Client(id: subject, redirectURIs: [], grantTypes: [.jwtBearer])
        }
        return configuration.client(assertion.claims["iss"]?.stringValue)
    }

    /// Redeems an assertion that a client or another party signed (RFC 7523, sections 2.1 and 3): for itself, or for the
    /// user whom `sub` names.
    mutating func redeemAssertion(
        _ parameters: Parameters, _ client: Client, key: String?
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard let assertion = parameters["assertion"].flatMap({ try? JSONWebToken(parsing: $0) }) else {
            throw .invalidGrant("The assertion is missing, or is not a signed JWT.")
        }
        let fault =
            if let party = party(of: assertion) {
                check(assertion, of: party) ?? use(identity: assertion, client, parameters)
            } else {
                use(assertion, of: client, at: .token)
            }
        if let fault { throw .invalidGrant(fault) }
        let subject = assertion.claims["sub"]?.stringValue
        let user = configuration.users.first { $0.subject == subject || $0.name == subject }
        guard user != nil || subject == client.id || subject == nil || party(of: assertion) != nil else {
            throw .invalidGrant("The assertion's sub is no user of this provider.")
        }
        let scope = parameters["scope"] ?? assertion.claims["scope"]?.stringValue
        let (wanted, resources) = try programWishes(parameters, scope: scope)
        let grant = user.map { user in
            let id = newToken()
            grants[id] = Grant(
                clientID: client.id, user: user, scopes: wanted, resources: resources, authenticatedAt: now,
                sessionID: newToken())
            return id
        }
        return .tokens(accessToken(grant: grant, client.id, scopes: wanted, resources: resources, key: key), nil)
    }

    /// Uses up an assertion of a user's identity, once, of the client and for the resource that it names
    /// (draft-ietf-oauth-identity-assertion-authz-grant, section 4.4.1); every other one is left. Returns nil, or the fault.
    private mutating func use(identity assertion: JSONWebToken, _ client: Client, _ parameters: Parameters) -> String? {
        guard assertion.header.type == Self.identityAssertionType else { return nil }
        let claims = assertion.claims
        guard claims["client_id"]?.stringValue == client.id else {
            return "The assertion's client_id is not the client."
        }
        guard let resource = claims["resource"]?.stringValue,
            parameters.values("resource").allSatisfy({ $0 == resource })
        else { return "The assertion is for another resource." }
        guard let identifier = claims["jti"]?.stringValue else { return "The assertion has no jti." }
        return useOnce("identity \(identifier)", until: claims["exp"]?.doubleValue ?? now)
    }

    /// `typ` of assertions of a user's identity.
    static let identityAssertionType = "oauth-id-jag+jwt"
}
