import AuthStateOAuth
import AuthStateStorage

enum ArchiveLimit {
    /// The longest archive that is read, as the other stores have it.
    static let bytes = 4 << 20
}

extension AuthStateError {
    /// Another holder had the state until the deadline; the row is named, not the key, which may be a session's id.
    static func storeLocked(_ key: KeyHash) -> AuthStateError {
        AuthStateError(
            .storeLocked, stage: .store, "The state is in use by another task, process or machine: \(key.text).",
            hint: "Try again, or allow more time; the lease of a holder that crashed ends by itself.")
    }

    /// Something in the table that no state can be.
    static func storedTooLong(bytes: String) -> AuthStateError {
        AuthStateError(
            .storeCorrupt, stage: .store, "The stored state is longer than any state.",
            expected: "\(ArchiveLimit.bytes) bytes at most", received: "\(bytes) bytes",
            hint: "Delete the row, and find out which program wrote it.")
    }

    /// The lease ran out, and another holder took it.
    static var leaseLost: AuthStateError {
        AuthStateError(
            .storeLocked, stage: .store, "The lease of the state was lost: this process stood still for too long.",
            expected: "to hold the lease", received: "another holder", hint: "Try again.")
    }

    /// The lease was extended, but had expired again when the answer came.
    static var leaseTooShort: AuthStateError {
        AuthStateError(
            .storeUnwritable, stage: .store, "The lease of the state expired before the database answered.",
            expected: "an answer within the lease's duration", received: "two later ones",
            hint: "Try again; where the database is slow, give the store a longer leaseDuration.")
    }
}
