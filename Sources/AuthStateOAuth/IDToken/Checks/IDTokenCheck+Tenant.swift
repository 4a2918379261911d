import AuthStateJOSE

/// The rules for a provider whose issuer is a template that each tenant fills (`Tolerance.tenantIssuer`).
///
/// That `iss` is the template filled with `tid` is the rule for `iss` itself.
extension IDTokenCheck {
    static let tenancy = [tenant, keepsTenant]

    /// What fills the template cannot reach beyond its place in the path.
    static let tenant = IDTokenCheck(.idTokenTenant, "tid", "Microsoft, validate the issuer") { token, expected in
        guard expected.tenantIssuer != nil else { return nil }
        return TenantIssuer.isTenant(token.tenant)
            ? nil : Failure("a tenant's GUID", received: token.claims["tid"].map { $0.stringValue ?? "something else" })
    }

    /// Elsewhere both tokens are held to the one issuer that there is.
    static let keepsTenant = IDTokenCheck(.idTokenKeepsTenant, "continuity of iss", "Core 12.2; 3.3.3.6") {
        token, expected in
        guard expected.tenantIssuer != nil, let before = expected.previous ?? expected.frontChannel else { return nil }
        return token.issuer == before.issuer ? nil : Failure("the same iss as before", received: token.issuer)
    }
}

extension IDToken {
    /// `tid`, the tenant of the account; empty when there is none.
    var tenant: String { claims["tid"]?.stringValue ?? "" }
}
