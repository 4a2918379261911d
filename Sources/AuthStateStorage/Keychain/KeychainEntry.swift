import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// The keychain item that holds a state, by its name. Its functions block.
///
/// Every change names the version that it replaces in its query. The keychain compares and changes in one transaction
/// of its own, so that it refuses a save over another writer's without any lock here.
struct KeychainEntry: Sendable {
    /// A reading of the item at one moment.
    struct Reading: Sendable {
        var stored: StoredAuthState?
        /// Whether a holder has reserved, and has neither saved nor released.
        var isMarked = false
    }

    /// The content of an item's comment.
    private enum Note: String {
        case kept = "kept"
        case redeeming = "redeeming"
    }

    let items: any KeychainItems
    /// Service, account and access group.
    let name: KeychainAttributes
    let accessibility: KeychainAuthStateStore.Accessibility

    /// Reads the item, if there is one.
    func read() throws -> Reading {
        let (status, item) = items.copyMatching(name)
        if status == .itemNotFound { return Reading() }
        guard status == .success else {
            throw AuthStateError.keychain(.storeUnreadable, "The state cannot be read from the keychain", status)
        }
        guard let archive = item?.data, let generic = item?.generic, !generic.isEmpty else {
            throw AuthStateError(
                .storeCorrupt, stage: .store, "The keychain item under this service and key is not a state of ours.",
                hint: "Use another service, or remove what is stored.")
        }
        return Reading(
            stored: StoredAuthState(
                archive: archive, version: .init(rawValue: String(decoding: generic, as: UTF8.self))),
            isMarked: item?.comment == Note.redeeming.rawValue)
    }

    /// Proves that the item can be written, and notes in it that a refresh token is being redeemed.
    ///
    /// - Throws: `.storeConflict` when another version is stored.
    func reserve(_ version: StoredAuthState.Version?) throws {
        guard let version else { return try probe() }
        let status = items.update(query(version), to: KeychainAttributes(comment: Note.redeeming.rawValue))
        if status != .success { try refuse(version, status) }
    }

    /// Resets the note; when that fails the next holder hears of a crash that did not happen, and renews all the same.
    func release(_ version: StoredAuthState.Version) {
        _ = items.update(query(version), to: KeychainAttributes(comment: Note.kept.rawValue))
    }

    /// Writes the item, and returns its version: a new random one, so that no version ever recurs.
    ///
    /// - Throws: `.storeConflict` when another version is stored.
    func save(_ archive: Data, expecting: StoredAuthState.Version?) throws -> StoredAuthState.Version {
        let version = StoredAuthState.Version(rawValue: Fingerprint.hexadecimal(SecureRandom.bytes(16)))
        var content = KeychainAttributes(
            generic: Data(version.rawValue.utf8), comment: Note.kept.rawValue, accessible: accessibility, data: archive)
        let status: KeychainStatus
        if let expecting {
            status = items.update(query(expecting), to: content)
        } else {
            (content.service, content.account, content.accessGroup) = (name.service, name.account, name.accessGroup)
            status = items.add(content)
        }
        if status == .success { return version }
        // The same content again is no conflict: an earlier save may have taken effect although it failed.
        if status == .itemNotFound || status == .duplicateItem, let found = try read().stored, found.archive == archive
        {
            return found.version
        }
        try refuse(expecting, status)
    }

    /// Removes the item, if there is one.
    ///
    /// - Throws: `.storeConflict` when another version is stored.
    func delete(expecting: StoredAuthState.Version?) throws {
        var status = KeychainStatus.itemNotFound
        if let expecting { status = items.delete(query(expecting)) }
        if status == .success { return }
        if status == .itemNotFound, try read().stored == nil { return }
        try refuse(expecting, status)
    }

    /// Removes the item whatever it is.
    func discard() throws {
        let status = items.delete(name)
        if status == .success || status == .itemNotFound { return }
        throw AuthStateError.keychain(.storeUnwritable, "The state cannot be removed from the keychain", status)
    }

    /// Makes an item beside the one that is missing, and removes it.
    private func probe() throws {
        let probe = KeychainAttributes(
            service: name.service.map { "\($0) (probe)" }, account: name.account, accessGroup: name.accessGroup)
        var item = probe
        (item.comment, item.accessible, item.data) = (Note.kept.rawValue, accessibility, Data([0]))
        var status = items.add(item)
        // A duplicate is a probe that an ended process left behind, or one of a process that probes now.
        if status == .success || status == .duplicateItem { status = items.delete(probe) }
        if status == .success || status == .itemNotFound { return }
        throw unwritable(status)
    }

    private func query(_ version: StoredAuthState.Version) -> KeychainAttributes {
        var query = name
        query.generic = Data(version.rawValue.utf8)
        return query
    }

    /// Throws the reason why a change was refused: another version is stored, or the status of the keychain.
    private func refuse(_ expected: StoredAuthState.Version?, _ status: KeychainStatus) throws -> Never {
        if status == .itemNotFound || status == .duplicateItem {
            try StoredAuthState.Version.check(read().stored?.version, isExpected: expected)
        }
        throw unwritable(status)
    }

    private func unwritable(_ status: KeychainStatus) -> AuthStateError {
        .keychain(.storeUnwritable, "The state cannot be written to the keychain", status)
    }
}
