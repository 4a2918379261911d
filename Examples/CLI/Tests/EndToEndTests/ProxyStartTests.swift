import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// `authstate proxy` starts a program of its own; here a script is that program.
    struct ProxyStartTests {
        private let folder: TemporaryFolder
        private let program: String

        /// A copy of the program, which may lie beside a real proxy.
        init() async throws {
            folder = try TemporaryFolder()
            program = folder("authstate")
            // By another process: a child that starts meanwhile would inherit the open file, and it could not be run.
            _ = try await Program.run(["cp", Authstate.path, program])
        }

        private func proxy(_ words: [String], path: String) async throws -> Program.Result {
            try await Program.run([program, "proxy"] + words, environment: ["PATH": path])
        }

        private func install(in folder: TemporaryFolder, saying word: String) async throws {
            let script = try folder.file(
                "script", containing: "#!/bin/sh\necho \(word)\nfor word; do echo \"[$word]\"; done\nexit 7\n")
            _ = try await Program.run(["install", "-m", "700", script, folder("authstate-proxy")])
        }

        @Test func `passes every argument on, and the other program's exit code is the command's`() async throws {
            let elsewhere = try TemporaryFolder()
            try await install(in: elsewhere, saying: "found")
            let words = ["--port", "0", "https://api.example/a b", "--help", ""]
            let result = try await proxy(words, path: ".:/nowhere:\(elsewhere.path)")
            #expect(result.status == 7 && result.errors.isEmpty, "\(result)")
            #expect(result.output == "found\n" + words.map { "[\($0)]\n" }.joined(), "\(result)")
        }

        @Test func `takes the program in its own folder before those of PATH`() async throws {
            let elsewhere = try TemporaryFolder()
            try await install(in: elsewhere, saying: "elsewhere")
            try await install(in: folder, saying: "here")
            #expect(try await proxy([], path: elsewhere.path).output == "here\n")
        }

        @Test func `says how to get the program where it is not installed, to programs in JSON`() async throws {
            let result = try await proxy(["https://api.example"], path: "/nowhere")
            #expect(result.status == 78 && result.output.isEmpty, "\(result)")
            #expect(result.errors.contains("not installed") && result.errors.contains("Examples/Proxy"), "\(result)")
            let json = try await proxy(["https://api.example", "--json"], path: "/nowhere")
            #expect(try json.status == 78 && json.json()["error"]?["code"] == "unsupported", "\(json)")
        }

        @Test func `goes on behind a file that may not be run, as a shell does`() async throws {
            let (locked, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
            let file = try locked.file("authstate-proxy", containing: "#!/bin/sh\n")
            try await install(in: elsewhere, saying: "elsewhere")
            let found = try await proxy([], path: "\(locked.path):\(elsewhere.path)")
            #expect(found.output == "elsewhere\n", "\(found)")
            let alone = try await proxy([], path: "\(locked.path):/nowhere")
            #expect(alone.status == 78 && alone.errors.contains(file), "\(alone)")
        }

        @Test func `names a program that cannot be started`() async throws {
            let file = try folder.file("authstate-proxy", containing: "no program")
            let result = try await proxy(["https://api.example"], path: "/nowhere")
            #expect(result.status == 78 && result.errors.contains(file), "\(result)")
        }
    }
}
