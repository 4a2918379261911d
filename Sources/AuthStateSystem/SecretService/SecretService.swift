#if os(Linux)
    import AuthStateLibc
    import AuthStateOAuth

    /// The freedesktop.org Secret Service: the keyring of a desktop session, over D-Bus, through libsecret.
    package enum SecretService {
        /// A request for an application's secrets.
        package struct Request: Sendable {
            /// The attribute that finds them.
            package let application: String
            /// The name under which the user sees a new one.
            package let label: String
            /// Whether the first one is made.
            package let creates: Bool
            /// Whether the user may be asked to unlock a keyring.
            package let mayPrompt: Bool
            /// The time for everything, the user's answer included.
            package let limit: Duration

            package init(application: String, label: String, creates: Bool, mayPrompt: Bool, limit: Duration) {
                self.application = application
                self.label = label
                self.creates = creates
                self.mayPrompt = mayPrompt
                self.limit = limit
            }
        }

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

        /// Returns the secrets of an application; makes the first one when that is asked for.
        ///
        /// A secret is never replaced. Processes of one session make the first one in turn: the one that owns a name on the
        /// bus searches again and adds a secret, the others search until they find it.
        ///
        /// - Throws: `AuthStateError`; `CancellationError`.
        package static func secrets(
            _ request: Request, making make: @escaping @Sendable () throws -> String
        ) async throws -> [KeptSecret] {
            guard SessionBus.isNamed else { throw AuthStateError.noSessionBus() }
            return try await run(within: request.limit) { cancellation in
                let keyring = try Keyring(application: request.application, mayPrompt: request.mayPrompt, cancellation)
                let secrets = try keyring.secrets()
                guard secrets.isEmpty else { return secrets }
                try keyring.openDefaultCollection()
                guard request.creates else { return try keyring.secrets() }
                let bus = try SessionBus(cancellation)
                while true {
                    let isFirst = try bus.own(turn)
                    let secrets = try keyring.secrets()
                    guard secrets.isEmpty else { return secrets }
                    if isFirst { return try add(make(), label: request.label, to: keyring) }
                    usleep(20_000)
                }
            }
        }

        private static func add(_ secret: String, label: String, to keyring: borrowing Keyring) throws -> [KeptSecret] {
            try keyring.add(secret, label: label)
            let secrets = try keyring.secrets()
            guard secrets.contains(where: { $0.bytes == Array(secret.utf8) }) else {
                throw AuthStateError.secretNotKept()
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
#endif
