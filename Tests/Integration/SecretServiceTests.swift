// Exit tests capture values since Swift 6.3.
#if os(Linux) && compiler(>=6.3)
    import AuthStateKit
    import Foundation
    import Testing

    /// At gnome-keyring, in processes of their own: GLib finds its session once for a process.
    @Suite(.whereSecretServiceIsInstalled, .serialized, .timeLimit(.minutes(5)))
    struct SecretServiceTests {
        private static let application = "com.example.app"

        @Test("the first use makes a key, the next ones find it, and secret-tool reads it back")
        func first() async throws {
            try await SecretServiceSession.run { session in
                #expect(try await session.key(of: Self.application).isEmpty)
                let address = session.address
                await #expect(processExitsWith: .success) { [address = address as String] in
                    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                    #expect(await SealingKey.isSecretServiceAvailable())
                    let missing = await failure {
                        try await SealingKey.secretServiceKeys(of: "com.example.app", creates: false)
                    }
                    #expect(missing?.code == .credentialUnavailable && missing?.stage == .store)
                    let made = try await SealingKey.secretServiceKeys(of: "com.example.app")
                    #expect(made.count == 1)
                    #expect(try await SealingKey.secretServiceKeys(of: "com.example.app", creates: false) == made)
                    #expect(try await SealingKey.secretServiceKeys(of: "com.example.other") != made)
                }
                let text = try await session.key(of: Self.application)
                #expect(Data(base64Encoded: text)?.count == 32)
                #expect(try await session.key(of: "com.example.other") != text)
                let item = try await session.secretTool("search", "application", Self.application)
                #expect(item.output.contains("label = Sealing key of com.example.app"))
            }
        }

        @Test("processes that start at once get the same key, and the keyring has one")
        func together() async throws {
            try await SecretServiceSession.run { session in
                let address = session.address
                let names = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            let result = await #expect(
                                processExitsWith: .success, observing: [\.standardOutputContent]
                            ) { [address = address as String] in
                                setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                                // Threads of one process race like processes do.
                                let keys = try await withThrowingTaskGroup(of: [SealingKey].self) { group in
                                    for _ in 0..<3 {
                                        group.addTask { try await SealingKey.secretServiceKeys(of: "com.example.app") }
                                    }
                                    return try await group.reduce(into: []) { $0.append($1) }
                                }
                                #expect(Set(keys).count == 1 && keys[0].count == 1)
                                print("KEY:\(keys[0][0].id)")
                            }
                            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
                            return output.split(separator: "\n").first { $0.contains("KEY:") }.map(String.init) ?? ""
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(names.count == 1 && names.first?.contains("KEY:") == true, "\(names)")
                let items = try await session.secretTool("search", "--all", "application", Self.application)
                #expect(items.output.count { $0 == "[" } == 1, "\(items.output)")
            }
        }

        @Test("a locked keyring is an error, and its key is neither replaced nor taken for none")
        func locked() async throws {
            try await SecretServiceSession.run { session in
                let address = session.address
                await #expect(processExitsWith: .success) { [address = address as String] in
                    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                    _ = try await SealingKey.secretServiceKeys(of: "com.example.app")
                }
                try await session.lock()
                await #expect(processExitsWith: .success) { [address = address as String] in
                    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                    #expect(await SealingKey.isSecretServiceAvailable())
                    for application in ["com.example.app", "com.example.other"] {
                        let silent = await failure {
                            try await SealingKey.secretServiceKeys(of: application, mayPrompt: false)
                        }
                        #expect(silent?.code == .credentialUnavailable)
                        #expect(silent?.message == "The keyring is locked, and the user is not to be asked.")
                        // The session has nothing to ask the user with, which is like a declined question.
                        let declined = await failure { try await SealingKey.secretServiceKeys(of: application) }
                        #expect(declined?.code == .credentialUnavailable)
                        #expect(declined?.message.contains("stays locked") == true)
                    }
                }
            }
        }

        @Test("a session without a keyring, and a process without a session, are told apart")
        func missing() async throws {
            try await SecretServiceSession.run(keyring: false) { session in
                let address = session.address
                await #expect(processExitsWith: .success) { [address = address as String] in
                    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                    #expect(await !SealingKey.isSecretServiceAvailable())
                    let error = await failure { try await SealingKey.secretServiceKeys(of: "com.example.app") }
                    #expect(error?.code == .credentialUnavailable)
                    #expect(error?.message == "No program keeps secrets in this session.")
                    #expect(error?.received?.contains("org.freedesktop.secrets") == true)
                }
            }
            await #expect(processExitsWith: .success) {
                unsetenv("DBUS_SESSION_BUS_ADDRESS")
                setenv("XDG_RUNTIME_DIR", "/nowhere", 1)
                #expect(await !SealingKey.isSecretServiceAvailable())
                let error = await failure { try await SealingKey.secretServiceKeys(of: "com.example.app") }
                #expect(error?.message == "There is no D-Bus session, and no keyring without one.")
                setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1)
                #expect(await !SealingKey.isSecretServiceAvailable())
                let dead = await failure { try await SealingKey.secretServiceKeys(of: "com.example.app") }
                #expect(dead?.message == "The Secret Service of this session cannot be used.")
            }
        }

        @Test("a keyring that hangs is given up after the time limit, and with the task")
        func hanging() async throws {
            try await SecretServiceSession.run { session in
                let address = session.address
                await session.whileKeyringHangs {
                    await #expect(processExitsWith: .success) { [address = address as String] in
                        setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                        let error = await failure {
                            try await SealingKey.secretServiceKeys(of: "com.example.app", within: .milliseconds(300))
                        }
                        #expect(error?.code == .timedOut && error?.stage == .store)
                        let task = Task { try await SealingKey.secretServiceKeys(of: "com.example.app") }
                        task.cancel()
                        await #expect(throws: CancellationError.self) { try await task.value }
                    }
                }
            }
        }

        @Test("a key that is no key is refused and left, and of several the oldest comes first")
        func several() async throws {
            try await SecretServiceSession.run { session in
                let attributes = ["xdg:schema", "org.authstatekit.SealingKey", "application", Self.application]
                func store(_ text: String, _ more: [String] = []) async throws {
                    let words = ["store", "--label=x"] + attributes + more
                    let result = try await Program.run(
                        ["/bin/sh", "-c", #"printf %s "$INPUT" | secret-tool "$@""#, "sh"] + words,
                        environment: session.environment.merging(["INPUT": text]) { $1 })
                    try #require(result.status == 0, "\(result)")
                }
                let address = session.address
                try await store("a password")
                await #expect(processExitsWith: .success) { [address = address as String] in
                    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                    let error = await failure { try await SealingKey.secretServiceKeys(of: "com.example.app") }
                    #expect(error?.code == .credentialUnavailable && error?.description.contains("password") == false)
                    #expect(error?.message == "There is no sealing key in the keyring.")
                }
                #expect(try await session.key(of: Self.application) == "a password")
                let first = Data(repeating: 1, count: 32).base64EncodedString()
                try await store(first)
                // The keyring's times have whole seconds.
                try await eventually("the next second") {
                    let second = Int(Date().timeIntervalSince1970)
                    let item = try await session.secretTool("search", "application", Self.application)
                    return item.output.contains("created = \(Self.time(second))") ? nil : true
                }
                let second = Data(repeating: 0, count: 32).base64EncodedString()
                try await store(second, ["copy", "2"])
                try await store(second, ["copy", "3"])
                await #expect(processExitsWith: .success) { [address = address as String] in
                    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                    let keys = try await SealingKey.secretServiceKeys(of: "com.example.app")
                    #expect(keys.map { $0.bytes.bytes[0] } == [1, 0])
                }
            }
        }

        private static func time(_ seconds: Int) -> String {
            let formatter = DateFormatter()
            formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
            formatter.timeZone = TimeZone(identifier: "UTC")
            return formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
        }

        @Test("a process outlives the session that it used")
        func end() async throws {
            try await SecretServiceSession.run { session in
                let (address, bus) = (session.address, session.bus)
                await #expect(processExitsWith: .success) { [address = address as String, bus = bus as pid_t] in
                    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
                    _ = try await SealingKey.secretServiceKeys(of: "com.example.app")
                    kill(bus, SIGTERM)
                    try await eventually("the end of the session") {
                        await SealingKey.isSecretServiceAvailable() ? nil : true
                    }
                    let error = await failure { try await SealingKey.secretServiceKeys(of: "com.example.app") }
                    #expect(error?.code == .credentialUnavailable)
                }
            }
        }
    }

    /// The error of a body; nil without one.
    private func failure(_ body: () async throws -> [SealingKey]) async -> AuthStateError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? AuthStateError
        }
    }
#endif
