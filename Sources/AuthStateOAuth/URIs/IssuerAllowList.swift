/// Which issuers may be used when one arrives from outside, by WebFinger or by a third party (Discovery, section 7.2).
///
/// Whoever can name the issuer decides where people type their passwords: without such a list, a mail address is enough
/// to lead them to a provider of an attacker's.
public struct IssuerAllowList: Sendable, ExpressibleByArrayLiteral {
    private let rule: @Sendable (Issuer) -> Bool

    /// Allows the issuers for which a rule holds, for example those that a database knows.
    public init(where rule: @escaping @Sendable (Issuer) -> Bool) { self.rule = rule }

    /// Allows these issuers, compared as exact strings.
    public init(_ issuers: some Sequence<String>) {
        let issuers = Set(issuers)
        rule = { issuers.contains($0.rawValue) }
    }

    /// Allows these issuers, compared as exact strings.
    public init(arrayLiteral elements: String...) { self.init(elements) }

    /// Whether an issuer may be used.
    public func allows(_ issuer: Issuer) -> Bool { rule(issuer) }
}
