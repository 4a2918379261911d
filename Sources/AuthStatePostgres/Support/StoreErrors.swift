import AuthStateOAuth
import AuthStateStorage

extension AuthStateError {
    /// Another holder had the state until the deadline; the row is named, not the key, which may be a session's id.
    static func storeLocked(_ key: KeyHash) -> AuthStateError {
        AuthStateError(
            .storeLocked, stage: .store, "The state is in use by another task, process or machine: \(key.text).",
            hint: "Try again, or allow more time; the lease of a holder that crashed ends by itself.")
    }

    /// What is stored, or to be stored, is longer than any state.
    static func tooLong(_ code: Code, bytes: String) -> AuthStateError {
        AuthStateError(
            code, stage: .store, "The state is longer than the store takes.",
            expected: "\(StateFile.sizeLimit) bytes at most", received: "\(bytes) bytes",
            hint: code == .storeCorrupt
                ? "Delete the row, and find out which program wrote it." : "Keep less in the state's annotations.")
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
