import AuthStateFoundation
import AuthStateOAuth

extension AuthSessionConfiguration {
    /// Checks that a begun or stored login belongs to this session: the session's credential goes to no other provider.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    func check(_ client: Client) throws {
        guard client.id.isExactly(self.clientID) else {
            throw AuthStateError.another("client", client.id, expected: self.clientID)
        }
        let (issuer, host) = try place()
        let provider = client.provider
        if let issuer, let theirs = provider.issuer?.rawValue {
            guard issuer.isExactly(theirs) else { throw AuthStateError.another("provider", theirs, expected: issuer) }
        } else if let host, let theirs = Self.host(provider) {
            guard host.isExactly(theirs) else { throw AuthStateError.another("provider", theirs, expected: host) }
        }
    }

    /// Returns the issuer, where all users share one, and the host of the token endpoint, where it is known beforehand.
    private func place() throws -> (issuer: String?, host: String?) {
        switch provider {
        case .issuer(let issuer): return (issuer, nil)
        case .configuration(let configuration): return (configuration.issuer?.rawValue, Self.host(configuration))
        case .known(let provider):
            let configuration = try provider.configurationByHand()
            // The tokens of a template's tenants, and their configuration, name the tenant.
            let issuer = provider.tolerances.contains(.tenantIssuer) ? nil : provider.issuer
            return (issuer ?? configuration?.issuer?.rawValue, configuration.flatMap(Self.host))
        }
    }

    private static func host(_ configuration: ProviderConfiguration) -> String? {
        URIReference(configuration.tokenEndpoint.absoluteString).host.map(String.init)
    }
}

extension AuthStateError {
    fileprivate static func another(_ what: String, _ received: String, expected: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .store, "The login is one of another \(what) than the session.",
            expected: expected, received: received, hint: "Give each session a key of its own.")
    }
}
