import AuthStateJOSE
package import AuthStateOAuth

extension AuthStateError {
    /// A sealed state is read by something that does not open seals.
    package static func storeSealed() -> AuthStateError {
        AuthStateError(
            .storeUnreadable, stage: .store, "The stored state is sealed; it was left as it is.",
            hint: "Read it through a SealedAuthStateStore that has its key."
        )
        .lasting
    }

    /// An archive is not sealed, and unsealed archives are not allowed.
    static func storeNotSealed() -> AuthStateError {
        AuthStateError(
            .storeUnreadable, stage: .store, "The stored state is not sealed; it was left as it is.",
            expected: "a sealed state",
            hint: "If it was stored before sealing began, set opensUnsealed: it is sealed by its next save then."
        )
        .lasting
    }

    /// The bytes are neither a sealed archive nor an open one.
    static func notSealedNorArchive() -> AuthStateError {
        AuthStateError(
            .storeCorrupt, stage: .store, "The stored state cannot be parsed; it was left as it was.",
            expected: "a sealed state", hint: "Move it away and log in again.")
    }

    /// A newer version sealed it.
    static func sealedTooNew(_ format: Int64) -> AuthStateError {
        AuthStateError(
            .storeTooNew, stage: .store, "The stored state was sealed by a newer version.",
            expected: "sealed format \(SealedArchive.currentFormat)", received: "sealed format \(format)",
            hint: "Update this program; the stored state was left as it is.")
    }

    /// It was sealed with a key that is not there.
    static func unknownSealingKey(_ id: String, known: [String]) -> AuthStateError {
        AuthStateError(
            .storeUnreadable, stage: .store, "The stored state is sealed with a key that is not in the list.",
            expected: known.joined(separator: " or "), received: id,
            hint: "Add the old key to the list, after the one that seals."
        )
        .lasting
    }

    /// A key with the right name does not open it.
    static func cannotOpen(_ id: String) -> AuthStateError {
        AuthStateError(
            .storeCorrupt, stage: .store,
            "The stored state cannot be opened: it was changed, or stored under another key, or sealed with another key "
                + "of the name \(id.printable()). It was left as it was.",
            hint: "Check the sealing key; else move the state away and log in again.")
    }

    /// The platform's library is missing or fails.
    static func cannotSeal(_ error: JOSEError) -> AuthStateError {
        AuthStateError(
            .libraryUnavailable, stage: .store, "States cannot be sealed and opened: there is no AES-256-GCM.",
            underlying: error)
    }
}
