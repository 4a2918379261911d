import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The client of a request, after its proof was checked (RFC 6749, section 2.3; RFC 7521, section 4.2).
    mutating func authenticate(_ request: Request) throws(ProviderRefusal) -> Client {
        let parameters = request.parameters
        let basic = try basicCredentials(request)
        let assertion = try clientAssertion(parameters)
        guard [basic != nil, parameters["client_secret"] != nil, assertion != nil].count(where: \.self) <= 1 else {
            throw .invalidRequest("The client authenticates in two ways.")
        }
        let subject = assertion?.claims["sub"]?.stringValue
        let party = assertion.flatMap(party)
        let named = party.map { $0.clients[subject ?? ""] } ?? subject
        let id = basic?.id ?? parameters["client_id"] ?? named
        guard let client = configuration.client(id) else { throw unknown(request) }
        let secret = basic?.secret ?? parameters["client_secret"]
        // RFC 6749, section 2.3.1: a client without a secret may leave it empty, as oidc-agent does.
        let isEmpty = secret?.isEmpty == true && client.isPublic
        let used: ClientAuthenticationMethod =
            if let assertion {
                assertion.isKeyedBySecret ? .clientSecretJWT : .privateKeyJWT
            } else {
                isEmpty ? .none : basic != nil ? .clientSecretBasic : secret != nil ? .clientSecretPost : .none
            }
        let isAccepted = configuration.authenticationMethods[request.endpoint]?.contains(used) ?? true
        guard isAccepted, party != nil || client.allows(used), parameters["client_id"].map({ $0 == client.id }) ?? true
        else {
            throw unknown(request)
        }
        if let assertion {
            try accept(assertion, of: client, at: request.endpoint)
        } else if let expected = client.secret, !ConstantTime.equals(expected, secret ?? "") {
            throw unknown(request)
        }
        return client
    }

    /// Identifier and secret of HTTP Basic, each form-decoded.
    private func basicCredentials(_ request: Request) throws(ProviderRefusal) -> (id: String, secret: String)? {
        guard let encoded = request.credentials(of: "Basic") else { return nil }
        let pair = Base64.decode(encoded).map { String(decoding: $0, as: UTF8.self) }
        guard let parts = pair?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false), parts.count == 2,
            let id = PercentEncoding.decode(parts[0]), let secret = PercentEncoding.decode(parts[1])
        else { throw unknown(request) }
        return (id, secret)
    }

    private func unknown(_ request: Request) -> ProviderRefusal {
        let usesHeader = request.headers["Authorization"] != nil
        return ProviderRefusal(
            "invalid_client", "The client is not known, or its proof is wrong.", status: 401,
            challenge: usesHeader ? #"Basic realm="provider""# : nil)
    }
}
