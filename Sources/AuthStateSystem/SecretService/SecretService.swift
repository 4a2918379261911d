#if os(Linux)
    import AuthStateLibc
    import AuthStateOAuth

    /// The freedesktop.org Secret Service: the keyring of a desktop session, over D-Bus, through libsecret.
    package enum SecretService {
        /// The name on the bus that a process owns while it makes the first secret of an application.
        private static let turn = "org.authstatekit.SealingKey"
        private static let work = BlockingWork(label: "AuthStateKit.SecretService", clock: ContinuousClock())

        /// Returns whether a Secret Service answers in this session; starts it where the session can.
        package static func isAvailable(within limit: Duration) async -> Bool {
            guard SessionBus.isNamed else { return false }
            let answer: Void? = try? await run(within: limit) { cancellation in
                try SessionBus(cancellation).pingSecretService()
            }
            return answer != nil
        }

        /// Returns the secrets with the application as attribute; with `creates` makes the first one, which the user sees
        /// under the label. The limit is the time for everything, the user's answer included.
        ///
        /// A secret is never replaced. Processes of one session make the first one in turn: the one that owns a name on the
        /// bus searches again and adds a secret, the others search until they find it. Throws `AuthStateError`;
        /// `CancellationError`.
        package static func secrets(
            of application: String, label: String, creates: Bool, mayPrompt: Bool, within limit: Duration,
            making make: @escaping @Sendable () throws -> String
        ) async throws -> [KeptSecret] {
            guard SessionBus.isNamed else { throw AuthStateError.noSessionBus }
            return try await run(within: limit) { cancellation in
                let keyring = try Keyring(application: application, mayPrompt: mayPrompt, cancellation)
                let secrets = try keyring.secrets()
                guard secrets.isEmpty else { return secrets }
                try keyring.openDefaultCollection()
                guard creates else { return try keyring.secrets() }
                let bus = try SessionBus(cancellation)
                while true {
                    let isFirst = try bus.own(turn)
                    let secrets = try keyring.secrets()
                    guard secrets.isEmpty else { return secrets }
                    if isFirst { return try add(make(), label: label, to: keyring) }
                    usleep(20_000)
                }
            }
        }

        private static func add(_ secret: String, label: String, to keyring: borrowing Keyring) throws -> [KeptSecret] {
            try keyring.add(secret, label: label)
            let secrets = try keyring.secrets()
            guard secrets.contains(where: { $0.bytes == Array(secret.utf8) }) else {
                throw AuthStateError.secretNotKept
            }
            return secrets
        }

        /// Runs a body on a thread that may block; its calls end when the time is over, and with the task.
        private static func run<R: Sendable>(
            within limit: Duration, _ body: @escaping @Sendable (GLibCancellation) throws -> R
        ) async throws -> R {
            let slack = Duration.seconds(2)
            let cancellation = try await work.run(within: limit, orThrow: .secretServiceTimedOut(limit)) {
                try SecretServiceLibrary.open()
                return GLibCancellation()
            }
            let timer = Task {
                try await Task.sleep(for: limit)
                cancellation.cancel()
            }
            defer { timer.cancel() }
            do {
                return try await withTaskCancellationHandler {
                    // The cancellation ends a call in time; where it does not, the caller waits no longer all the same.
                    try await work.run(within: limit + slack, orThrow: .secretServiceTimedOut(limit)) {
                        try body(cancellation)
                    }
                } onCancel: {
                    cancellation.cancel()
                }
            } catch let error as GLibError {
                if error.isCancellation, Task.isCancelled { throw CancellationError() }
                throw AuthStateError.secretService(error, limit)
            }
        }
    }

    extension AuthStateError {
        private static let otherPlace = "take the sealing key from another place"

        private static func keyring(
            _ message: String, expected: String? = nil, received: String? = nil, hint: String
        ) -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: .store, message, expected: expected, received: received, hint: hint)
        }

        static let noSessionBus = keyring(
            "There is no D-Bus session, and no keyring without one.",
            expected: "DBUS_SESSION_BUS_ADDRESS in the environment, or a socket at $XDG_RUNTIME_DIR/bus",
            received: "neither", hint: "Run it in the user's desktop session, or \(otherPlace).")

        static let noKeyring = keyring(
            "The Secret Service has no default keyring.", expected: "a collection with the alias 'default'",
            hint: "Create a keyring in the desktop's keyring program, or \(otherPlace).")

        static let secretNotKept = keyring(
            "The Secret Service did not keep a new sealing key.", expected: "the key among the stored ones",
            hint: "Check the keyring program, or \(otherPlace).")

        static func keyringLocked(wasAsked: Bool) -> AuthStateError {
            keyring(
                wasAsked
                    ? "The keyring stays locked: the user declined to unlock it, or could not be asked."
                    : "The keyring is locked, and the user is not to be asked.",
                expected: "an unlocked keyring", hint: "Unlock the keyring and try again, or \(otherPlace).")
        }

        static func secretService(_ error: GLibError, _ limit: Duration) -> AuthStateError {
            if error.isCancellation { return secretServiceTimedOut(limit) }
            guard error.isServiceMissing else {
                return keyring(
                    "The Secret Service of this session cannot be used.", received: error.message.printable(),
                    hint: "Check the keyring program, or \(otherPlace).")
            }
            return keyring(
                "No program keeps secrets in this session.",
                expected: "an owner of org.freedesktop.secrets, as gnome-keyring, KWallet and KeePassXC are",
                received: error.message.printable(), hint: "Start a keyring program, or \(otherPlace).")
        }

        static func secretServiceTimedOut(_ limit: Duration) -> AuthStateError {
            AuthStateError(
                .timedOut, stage: .store, "The Secret Service did not answer.", expected: "an answer within \(limit)",
                hint: "Answer the keyring's question sooner, or check the keyring program.")
        }
    }
#endif
