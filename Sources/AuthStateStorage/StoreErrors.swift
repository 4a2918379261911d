package import AuthStateOAuth
package import AuthStateSystem

extension AuthStateError {
    /// A system call on a path failed.
    package static func store(_ code: Code, _ what: String, _ path: String, _ cause: SystemCallError) -> AuthStateError
    {
        let error = AuthStateError(code, stage: .store, "\(what) \(path): \(cause).", hint: cause.hint)
        return code == .storeUnreadable && !cause.isPassing ? error.lasting : error
    }

    /// A system call on a path has not returned; a change in progress may still take effect.
    package static func storeSilent(_ code: Code, _ path: String, isChange: Bool = false) -> AuthStateError {
        AuthStateError(
            code, stage: .store, "The file system does not answer: \(path).",
            hint: "Check the disk or the network mount."
                + (isChange ? " What was to be saved or deleted may be done all the same: load again." : ""))
    }

    /// Another holder kept the state until the deadline.
    package static func storeLocked(_ name: String) -> AuthStateError {
        AuthStateError(
            .storeLocked, stage: .store, "The state is in use by another task or process: \(name).",
            hint: "Try again, allow more time, or end the program that holds the lock.")
    }

    /// A lease was used after `withLease` returned.
    package static func leaseEnded() -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .store, "The lease has ended: it is valid only inside withLease.",
            hint: "Load and save before the body returns.")
    }

    /// The stored content is not that which the caller wants to replace.
    package static func storeConflict(expected: StoredAuthState.Version?, isStored: Bool) -> AuthStateError {
        AuthStateError(
            .storeConflict, stage: .store, "The stored state was changed in between.",
            expected: expected == nil ? "no stored state" : "the version that was loaded",
            received: isStored ? "another version" : "no stored state", hint: "Load the state again and decide anew.")
    }
}

extension StoredAuthState.Version {
    /// Throws `.storeConflict` when the stored version is not the one that the caller wants to replace.
    static func check(_ found: Self?, isExpected expected: Self?) throws {
        if found == expected { return }
        throw AuthStateError.storeConflict(expected: expected, isStored: found != nil)
    }
}

extension Error {
    /// Whether no later attempt can read what is stored. An error that does not say so counts as one of the moment.
    package var isAboutContent: Bool {
        guard let error = self as? AuthStateError else { return false }
        return error.code == .storeCorrupt || error.code == .storeTooNew || error.isLasting
    }
}
