import AuthStateJOSE

/// The rules for a provider whose issuer is a template that each tenant fills (`Tolerance.tenantIssuer`).
///
/// That `iss` is the template filled with `tid` is the rule for `iss` itself.
extension IDTokenCheck {
    static let tenancy = [tenant, keepsTenant]

    /// The tenant that fills the template cannot reach beyond its place in the path.
    static let tenant = IDTokenCheck(.idTokenTenant, "tid", "Microsoft, validate the issuer") { token, expected in
        guard expected.tenantIssuer != nil else { return nil }
        return TenantIssuer.isTenant(token.tenant)
            ? nil : Failure("a tenant's GUID", received: token.claims["tid"].map { $0.stringValue ?? "something else" })
    }

    /// Elsewhere both tokens are checked against the one issuer.
    static let keepsTenant = IDTokenCheck(.idTokenKeepsTenant, "continuity of iss", "Core 12.2; 3.3.3.6") {
        token, expected in
        guard expected.tenantIssuer != nil, let before = expected.previous ?? expected.frontChannel else { return nil }
        return token.issuer == before.issuer ? nil : Failure("the same iss as before", received: token.issuer)
    }
}

extension IDToken {
    /// `tid`, the tenant of the account; empty when there is none.
    var tenant: String { claims["tid"]?.stringValue ?? "" }

    /// The keys that may have signed this token.
    ///
    /// Where the issuer is a template, a key that names an issuer signs for that one alone, which may be a template too
    /// (Microsoft, validate the issuer, 2). Elsewhere `issuer` has no meaning in a key.
    func signingKeys(_ published: JSONWebKeySet, _ expectation: IDTokenExpectation) throws(JOSEError) -> JSONWebKeySet {
        guard expectation.tenantIssuer != nil else { return published }
        let own = published.filter { TrustCheck.idTokenKeyIssuer.holds(isIssuer(ofKey: $0.issuer)) }
        guard own.candidates(for: token.header).isEmpty,
            let other = published.candidates(for: token.header).first?.key.issuer
        else { return own }
        throw JOSEError(.keyMismatch, "the key is another issuer's", expected: other.printable(), received: issuer)
    }

    private func isIssuer(ofKey named: String?) -> Bool {
        guard let named else { return true }
        return issuer?.isExactly(TenantIssuer(named)?.issuer(of: tenant) ?? named) == true
    }
}
