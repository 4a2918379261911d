import AuthStateJOSE
import AuthStateKit
import Foundation
import Testing

struct SealingKeyTests {
    private static let bytes = (0..<32).map { UInt8(truncatingIfNeeded: 0xF8 + $0 * 37) }
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func file(_ content: String, permissions: Int = 0o600) throws -> String {
        let path = scratch["key"]
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        return path
    }

    @Test(
        "sealing keys are read from a file as base64, base64url or hexadecimal digits, with white space around",
        arguments: [
            Base64.encode(bytes), Base64URL.encode(bytes), bytes.map { String(format: "%02x", $0) }.joined(),
            bytes.map { String(format: "%02X", $0) }.joined(), Base64.encode(bytes) + "\n",
            " \r\n\(Base64URL.encode(bytes))\r\n",
        ])
    func forms(_ text: String) throws {
        let key = try SealingKey(id: "k", file: file(text))
        #expect(key.bytes.bytes == Self.bytes)
        #expect(key.id == "k")
        #expect(try key == SealingKey(id: "k", bytes: Self.bytes))
    }

    @Test(
        "a file that holds something else is no sealing key; the error names the file and shows nothing of it",
        arguments: [
            "", "SECRET", "SECRET-SECRET-SECRET-SECRET-SECRET-SECRET-SEC", String(repeating: "5E", count: 31),
            String(repeating: "5E", count: 33), Base64.encode(bytes.dropLast()), Base64.encode(bytes + [1]),
            Base64.encode(bytes).replacing("=", with: "=="), String(repeating: "é", count: 32),
            String(repeating: "５", count: 64),
        ])
    func refused(_ text: String) throws {
        let path = try file(text)
        let error = #expect(throws: AuthStateError.self) { try SealingKey(id: "k", file: path) }
        #expect(error?.code == .credentialUnavailable && error?.stage == .store)
        #expect(error?.message.contains(path) == true && error?.hint?.contains("openssl rand -base64 32") == true)
        if !text.isEmpty { #expect(error?.description.contains(text) == false) }
    }

    @Test func `sealing keys are not read from a file that others can read`() throws {
        let path = try file(Base64.encode(Self.bytes), permissions: 0o644)
        let error = #expect(throws: AuthStateError.self) { try SealingKey(file: path) }
        #expect(error?.code == .credentialUnavailable && error?.hint?.contains("chmod") == true)
        #expect(throws: AuthStateError.self) { try SealingKey(file: scratch["nothing"]) }
    }

    @Test func `an environment variable is named, and shown as little as a file`() throws {
        let missing = #expect(throws: AuthStateError.self) { try SealingKey(environment: "AUTHSTATE_NO_SUCH_VARIABLE") }
        #expect(missing?.code == .credentialUnavailable)
        #expect(missing?.message.contains("AUTHSTATE_NO_SUCH_VARIABLE") == true)
        let path = try #require(ProcessInfo.processInfo.environment["PATH"])
        let other = #expect(throws: AuthStateError.self) { try SealingKey(environment: "PATH") }
        #expect(other?.code == .credentialUnavailable && other?.description.contains(path) == false)
    }

    @Test("sealing keys have the length of the cipher's", arguments: [0, 16, 31, 33, 64])
    func lengths(_ count: Int) {
        let bytes = (Self.bytes + Self.bytes).prefix(count)
        let error = #expect(throws: AuthStateError.self) { try SealingKey(id: "k", bytes: bytes) }
        #expect(error?.code == .invalidArgument && error?.received == "\(count) bytes")
    }

    @Test func `sealing keys have a name made of their content, unless they are given one`() throws {
        let key = try SealingKey(bytes: Self.bytes)
        #expect(key.id == "279a9f2d7fb65ecf")
        #expect(try SealingKey(bytes: Self.bytes.reversed()).id != key.id)
        #expect(try SealingKey.random().id != SealingKey.random().id)
        #expect(try SealingKey.random(id: "2026-11_a.B").id == "2026-11_a.B")
        for id in ["", "a b", "a\n", "é", "\"", String(repeating: "a", count: 65)] {
            let error = #expect(throws: AuthStateError.self) { try SealingKey(id: id, bytes: Self.bytes) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `sealing keys show their name and nothing else`() throws {
        let key = try SealingKey(id: "k", bytes: Self.bytes)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("redacted") && !text.contains("248") && !text.contains("f8"))
        }
    }
}
