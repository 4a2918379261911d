/// The issuers that may be used when one arrives from outside, by WebFinger or by a third party (Discovery, 7.2).
///
/// The issuer decides where people type their passwords: without a list, a mail address can lead to an attacker's page.
public struct IssuerAllowList: Sendable, ExpressibleByArrayLiteral {
    private let rule: @Sendable (Issuer) -> Bool
    /// Where an issuer of the list may be: anywhere when the program named it, at public addresses when only a rule allows it.
    package let addressPolicy: AddressPolicy

    /// Allows the issuers for which a rule holds, for example those that a database knows.
    ///
    /// They and their endpoints are asked at public addresses only; see `AddressPolicy`.
    public init(where rule: @escaping @Sendable (Issuer) -> Bool) {
        self.rule = rule
        addressPolicy = .publicOnly
    }

    /// Allows these issuers, compared as exact strings.
    public init(_ issuers: some Sequence<String>) {
        let issuers = Set(issuers)
        rule = { issuers.contains($0.rawValue) }
        addressPolicy = .any
    }

    /// Allows these issuers, compared as exact strings.
    public init(arrayLiteral elements: String...) { self.init(elements) }

    package func allows(_ issuer: Issuer) -> Bool { rule(issuer) }
}
