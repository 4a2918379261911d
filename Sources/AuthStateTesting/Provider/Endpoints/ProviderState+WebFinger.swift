import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The issuer for a user's identifier (RFC 7033; OpenID Connect Discovery, section 2): this provider, for its own
    /// users and its host.
    func webFinger(_ request: Request) throws(ProviderRefusal) -> [String: JSONValue] {
        guard let resource = request.parameters["resource"] else { throw .invalidRequest("resource is missing.") }
        guard isAtHome(resource) else { throw ProviderRefusal("not_found", "The resource is unknown.", status: 404) }
        let link: JSONValue = ["rel": .string(WebFingerQuery.relation), "href": .string(issuer)]
        let isWanted = request.parameters["rel"].map { $0 == WebFingerQuery.relation } ?? true
        return ["subject": .string(resource), "links": isWanted ? [link] : []]
    }

    private func isAtHome(_ resource: String) -> Bool {
        let (home, asked) = (URIReference(issuer), URIReference(resource))
        guard asked.hasScheme("acct") else { return asked.host == home.host && asked.port == home.port }
        let account = URIReference("//\(asked.path)")
        return account.host == home.host && account.port == home.port
            && configuration.users.contains { $0.name == account.user.map(String.init) }
    }
}
