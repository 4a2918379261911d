import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The details that a request asks for; a type that is not known here is refused (RFC 9396, section 5).
    @discardableResult
    func authorizationDetails(_ parameters: Parameters) throws(ProviderRefusal) -> [AuthorizationDetail] {
        guard let text = parameters["authorization_details"] else { return [] }
        let json = try? JSONValue(parsing: text.utf8)
        guard let details = json.flatMap({ [AuthorizationDetail](authorizationDetails: $0) }) else {
            throw ProviderRefusal("invalid_authorization_details", "That is no list of objects with a type.")
        }
        let known = configuration.authorizationDetailsTypes
        if let known, let foreign = details.first(where: { !known.contains($0.type) }) {
            throw ProviderRefusal("invalid_authorization_details", "The type \(foreign.type) is not known here.")
        }
        return details
    }

    /// The access of a token: the details that the request names, else all of the grant (RFC 9396, section 6).
    func authorizationDetails(
        _ parameters: Parameters, of grant: Grant
    ) throws(ProviderRefusal) -> [AuthorizationDetail] {
        let named = try authorizationDetails(parameters)
        guard !named.isEmpty else { return grant.authorizationDetails }
        guard named.allSatisfy(grant.authorizationDetails.contains) else {
            throw ProviderRefusal("invalid_authorization_details", "The detail is none of the grant's.")
        }
        return named
    }
}
