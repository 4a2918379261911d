import AuthStateOAuth

/// The result of a keychain call: Security's `OSStatus`.
struct KeychainStatus: RawRepresentable, Sendable, Hashable {
    let rawValue: Int32

    static let success = KeychainStatus(rawValue: 0)
    static let duplicateItem = KeychainStatus(rawValue: -25299)
    static let itemNotFound = KeychainStatus(rawValue: -25300)
    static let interactionNotAllowed = KeychainStatus(rawValue: -25308)
    static let notAvailable = KeychainStatus(rawValue: -25291)
    /// The keychain is brought up to date after an update of the system, for which the device has to be unlocked.
    static let upgradePending = KeychainStatus(rawValue: -34019)
    static let missingEntitlement = KeychainStatus(rawValue: -34018)
    static let userCanceled = KeychainStatus(rawValue: -128)
    static let authFailed = KeychainStatus(rawValue: -25293)
    static let decode = KeychainStatus(rawValue: -26275)
    static let diskFull = KeychainStatus(rawValue: -34)
    static let parameter = KeychainStatus(rawValue: -50)

    /// Whether the keychain is there, but closed until the device is unlocked.
    var meansLocked: Bool { self == .interactionNotAllowed || self == .notAvailable || self == .upgradePending }

    /// The constant's name where it is known, and the number.
    var text: String {
        let number = "OSStatus \(rawValue)"
        return Self.table[rawValue].map { "\($0.name) (\(number))" } ?? number
    }

    /// The advice for a user.
    var hint: String { Self.table[rawValue]?.hint ?? "Look the number up with `security error \(rawValue)` on a Mac." }

    /// Names and hints; one table for reading and writing.
    private static let table: [Int32: (name: String, hint: String)] = {
        let unlock = "Nothing is lost: try again after the device has been unlocked."
        let space = "Free some space, then try again."
        let later = "Try again later; restart the device if that does not help."
        let report = "The keychain refuses the call itself: report this with the number."
        return [
            interactionNotAllowed.rawValue: ("errSecInteractionNotAllowed", unlock),
            notAvailable.rawValue: ("errSecNotAvailable", unlock),
            upgradePending.rawValue: ("errSecUpgradePending", unlock),
            missingEntitlement.rawValue: (
                "errSecMissingEntitlement",
                "Sign the app with a team, and name the access group under the capability Keychain Sharing."
            ),
            userCanceled.rawValue: ("errSecUserCanceled", "The user refused access to the keychain: ask again."),
            authFailed.rawValue: (
                "errSecAuthFailed", "The user was not recognised, or the device has no passcode: set one, try again."
            ),
            decode.rawValue: (
                "errSecDecode", "The item cannot be decrypted on this device: remove what is stored, and log in again."
            ),
            duplicateItem.rawValue: (
                "errSecDuplicateItem", "An item that cannot be read has the same name: use another service."
            ),
            itemNotFound.rawValue: ("errSecItemNotFound", "Load the state again."),
            diskFull.rawValue: ("errSecDiskFull", space),
            -25292: ("errSecReadOnly", "Use a keychain that can be written."),
            -25302: ("errSecDataTooLarge", "The state is too large for the keychain: ask for fewer claims or scopes."),
            -67596: ("errSecQuotaExceeded", space),
            -36: ("errSecIO", later),
            -108: ("errSecAllocate", later),
            -2070: ("errSecInternalComponent", later),
            -67585: ("errSecServiceNotAvailable", later),
            -4: ("errSecUnimplemented", report),
            parameter.rawValue: ("errSecParam", report),
        ]
    }()
}

extension AuthStateError {
    /// A keychain call failed; a locked device has a code of its own, because it resolves by itself.
    static func keychain(_ code: Code, _ what: String, _ status: KeychainStatus) -> AuthStateError {
        if status.meansLocked {
            return AuthStateError(
                .deviceLocked, stage: .store, "The device is locked, and the keychain with it: \(status.text).",
                hint: status.hint)
        }
        return AuthStateError(code, stage: .store, "\(what): \(status.text).", hint: status.hint)
    }

    /// A keychain call has not returned; a change in progress may still take effect.
    static func keychainSilent(_ code: Code, isChange: Bool = false) -> AuthStateError {
        AuthStateError(
            code, stage: .store, "The keychain does not answer.",
            hint: "Try again later."
                + (isChange ? " What was to be saved or deleted may be done all the same: load again." : ""))
    }
}
