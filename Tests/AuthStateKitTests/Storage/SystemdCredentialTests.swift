// Exit tests capture values since Swift 6.3.
#if os(Linux) && compiler(>=6.3)
    import AuthStateJOSE
    import AuthStateKit
    import Foundation
    import Testing

    /// In processes of their own, whose environment names a folder of credentials as systemd does.
    struct SystemdCredentialTests {
        private static let bytes = (0..<32).map { UInt8(truncatingIfNeeded: 0xF8 + $0 * 37) }
        private let scratch: ScratchFolder

        init() throws { scratch = try ScratchFolder() }

        /// Makes a credential with the permissions that systemd gives it.
        private func credential(_ content: some Collection<UInt8>, permissions: Int = 0o400) throws {
            try Data(content).write(to: URL(fileURLWithPath: scratch["key"]))
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: scratch["key"])
        }

        @Test(
            "a credential is 32 bytes, or their text",
            arguments: [bytes, Array(Base64.encode(bytes).utf8), Array("\(Base64URL.encode(bytes))\n".utf8)])
        func forms(_ content: [UInt8]) async throws {
            try credential(content)
            let path = scratch.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                setenv("CREDENTIALS_DIRECTORY", path, 1)
                let key = try SealingKey(systemdCredential: "key")
                #expect(key.id == "279a9f2d7fb65ecf" && key.bytes.bytes.count == 32)
                #expect(try SealingKey(id: "k", systemdCredential: "key").id == "k")
            }
        }

        @Test(
            "a credential that is too short, too long or a password is refused, and none of it is shown",
            arguments: [bytes.dropLast() + [], bytes + [1], Array("password-password-password-passw".utf8), []])
        func refused(_ content: [UInt8]) async throws {
            try credential(content)
            let path = scratch.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                setenv("CREDENTIALS_DIRECTORY", path, 1)
                let error = #expect(throws: AuthStateError.self) { try SealingKey(systemdCredential: "key") }
                #expect(error?.code == .credentialUnavailable && error?.message.contains("\(path)/key") == true)
                #expect(error?.expected?.contains("32 bytes") == true && error?.description.contains("passw") == false)
            }
        }

        @Test("a credential that others can read, that is missing, or whose name leads elsewhere is refused")
        func places() async throws {
            try credential(Self.bytes, permissions: 0o404)
            let path = scratch.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                unsetenv("CREDENTIALS_DIRECTORY")
                let none = #expect(throws: AuthStateError.self) { try SealingKey(systemdCredential: "key") }
                #expect(none?.code == .credentialUnavailable)
                #expect(none?.message.contains("CREDENTIALS_DIRECTORY is not set") == true)
                setenv("CREDENTIALS_DIRECTORY", path, 1)
                let exposed = #expect(throws: AuthStateError.self) { try SealingKey(systemdCredential: "key") }
                #expect(exposed?.received == "0404")
                let missing = #expect(throws: AuthStateError.self) { try SealingKey(systemdCredential: "other") }
                #expect(missing?.code == .credentialUnavailable && missing?.message.contains("\(path)/other") == true)
                for name in ["", ".", "..", "../key", "a/b", "a\0b"] {
                    let error = #expect(throws: AuthStateError.self) { try SealingKey(systemdCredential: name) }
                    #expect(error?.code == .invalidArgument)
                }
            }
        }
    }
#endif
