import AuthStateOAuth
import AuthStateStorage

extension AuthStateError {
    /// Another holder had the state until the deadline; the row is named, not the key, which may be a session's id.
    static func storeLocked(_ key: KeyHash) -> AuthStateError {
        AuthStateError(
            .storeLocked, stage: .store, "The state is in use by another task, process or machine: \(key.text).",
            hint: "Try again, or allow more time; the lease of a holder that crashed ends by itself.")
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
