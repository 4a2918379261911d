/// An issuer with a place for the tenant, as Microsoft's metadata for many tenants has it: `https://…/{tenantid}/v2.0`.
package struct TenantIssuer: Sendable, Hashable {
    private let prefix: String
    private let suffix: String

    /// Reads a template; nil when there is no place for a tenant in its path.
    package init?(_ template: String) {
        let parts = template.split(separator: "/", omittingEmptySubsequences: false)
        // The first three are the scheme, nothing and the authority.
        guard let place = parts.firstIndex(of: "{tenantid}"), place >= 3, URIReference(template).hasPlainHost else {
            return nil
        }
        prefix = parts[..<place].map { "\($0)/" }.joined()
        suffix = parts[(place + 1)...].map { "/\($0)" }.joined()
    }

    package func issuer(of tenant: String) -> String { prefix + tenant + suffix }

    /// Whether an issuer is one of those that stand for many tenants.
    package func covers(_ issuer: Issuer) -> Bool {
        ["common", "organizations"].contains { self.issuer(of: $0).isExactly(issuer.rawValue) }
    }

    /// Whether this can be a tenant's identifier: a GUID in lowercase.
    package static func isTenant(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } }
    }
}
