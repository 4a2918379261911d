#if os(Linux)
    import AuthStateJOSE
    import AuthStateOAuth
    import AuthStateSystem

    extension SealingKey {
        /// Returns whether a Secret Service answers in this session. Starts it where the session can, and asks the user
        /// nothing; false without a D-Bus session, and without libsecret.
        ///
        /// - Parameter limit: The time to wait for an answer.
        public static func isSecretServiceAvailable(within limit: Duration = .seconds(5)) async -> Bool {
            await SecretService.isAvailable(within: limit)
        }

        /// Returns the sealing keys that the Secret Service of the desktop session keeps for an application: gnome-keyring,
        /// KWallet or KeePassXC, by libsecret, which is found at run time.
        ///
        /// Where there is no key yet, a random one is made and stored. Processes that do so at once get the same one, and a
        /// stored key is never replaced. The list has more than one key where the keyring has, for example after two
        /// keyrings were merged; the oldest comes first, in every process. Give the whole list to ``SealedAuthStateStore``.
        ///
        /// The keyring has each key as base64, under the schema `org.authstatekit.SealingKey` with the attribute
        /// `application`: `secret-tool lookup application NAME` prints it. No thread of the task pool waits for the service.
        ///
        /// - Parameters:
        ///   - application: The name that finds the keys; a name of the reversed domain is a good choice.
        ///   - label: The name under which the user sees a new key in the keyring; nil makes one of the application's.
        ///   - creates: Whether the first key is made. Pass false where sealed states exist: their key cannot be made anew.
        ///   - mayPrompt: Whether the user may be asked to unlock a keyring.
        ///   - limit: The time for everything, the user's answer included.
        /// - Throws: `AuthStateError`: `.credentialUnavailable` without a session, a service, an unlocked keyring or a key;
        ///   `.timedOut`; `.libraryUnavailable` without libsecret; `.invalidArgument` for the application's name.
        public static func secretServiceKeys(
            of application: String, label: String? = nil, creates: Bool = true, mayPrompt: Bool = true,
            within limit: Duration = .seconds(60)
        ) async throws -> [SealingKey] {
            guard !application.isEmpty, !application.contains("\0"), label?.contains("\0") != true else {
                throw AuthStateError(
                    .invalidArgument, stage: .store, "The name of the application or of the key cannot be used.",
                    expected: "a name without null characters", received: application.printable(),
                    hint: "Take a name of the reversed domain, for example com.example.app.")
            }
            let secrets = try await SecretService.secrets(
                of: application, label: label ?? "Sealing key of \(application)", creates: creates,
                mayPrompt: mayPrompt, within: limit
            ) { Base64.encode(try SealingKey.random().bytes.bytes) }
            guard !secrets.isEmpty else {
                throw AuthStateError(
                    .credentialUnavailable, stage: .store,
                    "There is no sealing key of \(application.printable()) in the keyring.",
                    expected: "an item with the attribute application",
                    hint: "Unlock or restore the keyring that has it.")
            }
            let keys = try secrets.map { secret in
                (created: secret.created, key: try SealingKey(id: nil, text: secret.bytes, place: "the keyring"))
            }
            // Two items with one key are one key.
            var known: Set<SealingKey> = []
            return keys.sorted { ($0.created, $0.key.id) < ($1.created, $1.key.id) }.map(\.key)
                .filter { known.insert($0).inserted }
        }
    }
#endif
