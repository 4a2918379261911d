import AuthStateOAuth

extension ProviderState {
    /// Refuses resources that are not known here (RFC 8707, section 2).
    func check(resources: [String]) throws(ProviderRefusal) {
        guard let known = configuration.resources else { return }
        if let foreign = resources.first(where: { !known.contains($0) }) {
            throw ProviderRefusal("invalid_target", "The resource \(foreign) is not known here.")
        }
    }

    /// The resources of a token: those that the request names, else all of the grant (RFC 8707, section 2.2).
    func resources(_ parameters: Parameters, of grant: Grant) throws(ProviderRefusal) -> [String] {
        let named = parameters.values("resource")
        guard !named.isEmpty else { return grant.resources }
        try check(resources: named)
        guard grant.resources.isEmpty || Set(named).isSubset(of: grant.resources) else {
            throw ProviderRefusal("invalid_target", "The resource is none of the grant's.")
        }
        return named
    }
}
