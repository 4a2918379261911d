import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct DamageTests {
        @Test func `a malformed stored state is left as it is`() async throws {
            var authstate = try Authstate(.django)
            authstate.stateFile = try authstate.folder.secret("nonsense", containing: "{")
            try await authstate.expectFailure(["token"], 75, [.storeCorrupt], stage: .store, hint: "--local")
            try await authstate.expectFailure(
                authstate.loginArguments(), 75, [.storeCorrupt], stage: .store, hint: "choose another file")
            try await authstate.expectFailure(
                ["logout", "--local"], 75, [.storeUnreadable], stage: .store, hint: "Received \(authstate.stateFile).")
            #expect(authstate.folder.text("nonsense") == "{")
        }

        @Test("damaged content in this program's own folder: the file is named, and the advice works")
        func corruptInOwnFolder() async throws {
            let folder = try TemporaryFolder()
            let file = try FileAuthStateStore(folder: folder("authstate")).path(for: .default)
            try FileManager.default.createDirectory(atPath: folder("authstate"), withIntermediateDirectories: false)
            try Data("{".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            func run(_ words: String...) async throws -> Program.Result {
                try await Program.run([Authstate.path] + words, environment: ["XDG_STATE_HOME": folder.path])
            }
            let status = try await run("status")
            #expect(status.status == 75)
            #expect(status.errors.contains(file) && status.errors.contains("'authstate logout --local'"))
            #expect(!status.errors.contains("--state"))
            let logout = try await run("logout", "--local")
            #expect(logout.status == 0, "\(logout.errors)")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }
}
