import ArgumentParser
import AuthStateKit
import Foundation
import Testing

@testable import AuthStateProgram

struct SealTests {
    @Test(
        "the name of a sealed login's key says where the key is",
        arguments: [
            ("secret-service", Seal.secretService, "secret-service.279a9f2d7fb65ecf"),
            ("credential:my.key-1_A", .credential("my.key-1_A"), "credential.my.key-1_A.279a9f2d7fb65ecf"),
        ])
    func places(_ argument: String, _ seal: Seal, _ keyID: String) {
        #expect(SealOptions.Choice(argument: argument) == .seal(seal))
        #expect(seal.name == argument)
        #expect(Seal(keyID: keyID) == seal)
    }

    @Test(
        "names of other programs' keys are no place",
        arguments: ["", "2026-11", "secret-service", "credential", "credential.", "credential.key", "credential..key"])
    func others(_ keyID: String) { #expect(Seal(keyID: keyID) == nil) }

    @Test(
        "other arguments of --seal are refused",
        arguments: [
            "", "None", "none:", "secret-service:x", "credential", "credential:", "credential:a/b", "credential:a:b",
            "credential:é", "credential:" + String(repeating: "a", count: 37),
        ])
    func refused(_ argument: String) {
        #expect(SealOptions.Choice(argument: argument) == nil)
        #expect(throws: (any Error).self) { _ = try SealOptions.parse(["--seal", argument]) }
    }

    @Test func `--runtime goes without --state, and leads other commands to the same login`() throws {
        #expect(throws: (any Error).self) { _ = try CommonOptions.parse(["--runtime", "--state", "f"]) }
        #expect(try CommonOptions.parse(["--runtime", "--profile", "work"]).selection == " --runtime --profile work")
    }

    @Test func `the runtime folder is the user's alone`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "authstate-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        func location(_ path: String?) throws -> StateLocation {
            let environment = path.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]
            return try StateLocation(state: nil, isRuntime: true, profile: "default", environment: environment)
        }
        #expect(try location(path) == .folder("\(path)/authstate"))
        for other in [nil, "", "relative", path + "/none"] {
            let error = #expect(throws: AuthStateError.self) { try location(other) }
            #expect(error?.code == .invalidArgument)
        }
        for permissions in [0o750, 0o701, 0o500] {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
            let error = #expect(throws: AuthStateError.self) { try location(path) }
            #expect(error?.code == .storeUntrusted && error?.expected?.contains("0700") == true)
        }
    }
}
