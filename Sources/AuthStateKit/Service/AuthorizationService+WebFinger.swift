import AuthStateJOSE
public import AuthStateOAuth

extension AuthorizationService {
    /// Finds the issuer of a user by WebFinger (RFC 7033; OpenID Connect Discovery 1.0, section 2), from the user's input:
    /// `user@host`, `acct:user@host`, `host`, `host:port` or an http(s) URL.
    ///
    /// The host of the identifier is asked over https; a redirect within its origin is followed, twice at most. The host, and an
    /// issuer that only a rule allows, have to be at public addresses, unless `outsideAddressPolicy` says otherwise; then this
    /// machine is allowed too, over http.
    ///
    /// - Throws: `AuthStateError` of stage discovery, with `.issuerNotAllowed` for an issuer that is not on the list.
    public func discoverIssuer(identifier: String, allowedIssuers: IssuerAllowList) async throws -> Issuer {
        let query = try WebFingerQuery(identifier)
        let addresses = configuration.outsideAddressPolicy
        try check(query.url, issuer: query.origin, addresses: addresses, stage: .discovery)
        let body = try await read(
            "WebFinger endpoint", at: query.url, addresses: addresses,
            accept: "application/jrd+json, application/json",
            hint: "Check the identifier, or use the issuer itself.")
        let issuer = try WebFingerAnswer(parsing: body).issuer
        try check(
            URIReference(issuer.rawValue), issuer: query.origin, addresses: policy(for: allowedIssuers),
            stage: .discovery)
        guard TrustCheck.issuerAllowList.holds(allowedIssuers.allows(issuer)) else {
            throw AuthStateError(
                .issuerNotAllowed, stage: .discovery, "The identifier leads to an issuer that is not allowed.",
                expected: "an issuer that the program allows", received: issuer.rawValue,
                hint: "Add the issuer to those that are allowed, if you trust it with your users.")
        }
        return issuer
    }

    /// Finds the endpoints of the provider that logs a user in, by WebFinger and then by the issuer's metadata.
    ///
    /// - Throws: `AuthStateError` of stage discovery, as `discoverIssuer` and `discoverConfiguration(issuer:)` do.
    public func discoverConfiguration(
        identifier: String, allowedIssuers: IssuerAllowList
    ) async throws -> ProviderConfiguration {
        let issuer = try await discoverIssuer(identifier: identifier, allowedIssuers: allowedIssuers)
        return try await discoverConfiguration(issuer: issuer.rawValue, addressPolicy: policy(for: allowedIssuers))
    }

    /// Finds the endpoints of the provider at which a third party starts a login (OpenID Connect Core, section 4).
    ///
    /// - Throws: `AuthStateError` of stage discovery, as `discoverConfiguration(issuer:)` does; `.addressNotAllowed` when
    ///   only a rule allows the issuer, and it is at no public address.
    public func discoverConfiguration(for login: ThirdPartyLogin) async throws -> ProviderConfiguration {
        try await discoverConfiguration(issuer: login.issuer.rawValue, addressPolicy: policy(login.addressPolicy))
    }

    private func policy(for list: IssuerAllowList) -> AddressPolicy { policy(list.addressPolicy) }

    /// Returns the service's policy for an issuer that comes from outside, else `.any`.
    private func policy(_ policy: AddressPolicy) -> AddressPolicy {
        policy == .any ? .any : configuration.outsideAddressPolicy
    }
}
