#if os(Linux)
    import AuthStateOAuth

    extension AuthStateError {
        private static let otherPlace = "take the sealing key from another place"

        /// The environment names no D-Bus session.
        static func noSessionBus() -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: .store,
                "There is no D-Bus session, and no keyring without one.",
                expected: "DBUS_SESSION_BUS_ADDRESS in the environment, or a socket at $XDG_RUNTIME_DIR/bus",
                received: "neither",
                hint: "Run it in the user's desktop session, or \(otherPlace).")
        }

        /// A call failed.
        static func secretService(_ error: GLibError, _ limit: Duration) -> AuthStateError {
            if error.isCancellation { return secretServiceTimedOut(limit) }
            guard error.isServiceMissing else {
                return AuthStateError(
                    .credentialUnavailable, stage: .store, "The Secret Service of this session cannot be used.",
                    received: error.message.printable(), hint: "Check the keyring program, or \(otherPlace).")
            }
            return AuthStateError(
                .credentialUnavailable, stage: .store, "No program keeps secrets in this session.",
                expected: "an owner of org.freedesktop.secrets, as gnome-keyring, KWallet and KeePassXC are",
                received: error.message.printable(), hint: "Start a keyring program, or \(otherPlace).")
        }

        /// The service, or the user, did not answer.
        static func secretServiceTimedOut(_ limit: Duration) -> AuthStateError {
            AuthStateError(
                .timedOut, stage: .store, "The Secret Service did not answer.", expected: "an answer within \(limit)",
                hint: "Answer the keyring's question sooner, or check the keyring program.")
        }

        /// A keyring is locked.
        static func keyringLocked(wasAsked: Bool) -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: .store,
                wasAsked
                    ? "The keyring stays locked: the user declined to unlock it, or could not be asked."
                    : "The keyring is locked, and the user is not to be asked.",
                expected: "an unlocked keyring", hint: "Unlock the keyring and try again, or \(otherPlace).")
        }

        /// The service has no keyring for new secrets.
        static func noKeyring() -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: .store, "The Secret Service has no default keyring.",
                expected: "a collection with the alias 'default'",
                hint: "Create a keyring in the desktop's keyring program, or \(otherPlace).")
        }

        /// A secret that was added is not found.
        static func secretNotKept() -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: .store, "The Secret Service did not keep a new sealing key.",
                expected: "the key among the stored ones", hint: "Check the keyring program, or \(otherPlace).")
        }
    }
#endif
