import AuthStateFoundation
import AuthStateJOSE

/// The four calls on generic passwords of a keychain; each blocks until the system's keychain service has answered.
///
/// A query names items by attributes that they have; with no access group it means those of every group of the process.
protocol KeychainItems: Sendable {
    /// Makes an item, in the process's first access group if it names none; `.duplicateItem` when there is one of its name.
    func add(_ item: KeychainAttributes) -> KeychainStatus
    /// Changes the items that the query matches, in one atomic step; `.itemNotFound` if it matches none.
    func update(_ query: KeychainAttributes, to changes: KeychainAttributes) -> KeychainStatus
    /// Reads one item; `.itemNotFound` when there is none.
    func copyMatching(_ query: KeychainAttributes) -> (status: KeychainStatus, item: KeychainAttributes?)
    /// Removes the items that the query matches; `.itemNotFound` when it matches none.
    func delete(_ query: KeychainAttributes) -> KeychainStatus
}

/// The attributes of a query, of a change or of an item; those that are nil are left out.
struct KeychainAttributes: Sendable, Hashable {
    /// With the account and the access group, the name of an item: `kSecAttrService`.
    var service: String?
    /// `kSecAttrAccount`.
    var account: String?
    /// `kSecAttrAccessGroup`.
    var accessGroup: String?
    /// `kSecAttrGeneric`: the version.
    var generic: Data?
    /// `kSecAttrComment`: whether the refresh token is being redeemed.
    var comment: String?
    /// `kSecAttrAccessible`; never part of a query, for an item that has another one would not be found.
    var accessible: KeychainAuthStateStore.Accessibility?
    /// `kSecValueData`, the only secret here: the archive. Never part of a query.
    var data: Data?
}

extension KeychainAttributes: Redacted {
    /// The name and the size.
    var description: String { "\(service ?? "?")/\(account ?? "?"), \(data?.count ?? 0) bytes" }
}
