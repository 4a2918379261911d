import AuthStateKit
import Foundation
import Testing

extension MCPServerTests {
    /// The built program, with a browser that is found as the system's.
    struct CommandTests {
        /// The program lies beside the tests.
        private static let path = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("mcp-client").path

        private let folder: TemporaryFolder
        private let browser: LoginBrowser

        init() throws {
            folder = try TemporaryFolder()
            browser = try LoginBrowser()
            let opener = try folder.file("xdg-open", containing: "#!/bin/sh\nexec \(browser.commandLine()) \"$@\"\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: opener)
        }

        private func run(_ words: [String]) async throws -> Program.Result {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return try await Program.run(
                [Self.path] + words,
                environment: [
                    "PATH": "\(folder.path):\(path)", "BROWSER": "xdg-open", "XDG_STATE_HOME": folder("state"),
                ])
        }

        @Test("two commands: the first logs in and lists the tools, the second calls one without a login")
        func life() async throws {
            try await ResourceServer.run(.mcp) { server in
                let list = try await run([server.resource])
                #expect(list.status == 0 && list.output.contains("add  Adds two numbers."), "\(list.errors)")
                let visits = try browser.visits.count
                #expect(visits > 0)

                let call = try await run([server.resource, "add", "a=1", "b=2"])
                #expect(call.status == 0 && call.output == "3\n" && call.errors.isEmpty, "\(call.errors)")
                #expect(try browser.visits.count == visits)
                #expect(try await server.requests(at: .first).count { $0.path == "/register" } == 1)
                #expect(try TemporaryFolder.permissions(of: folder("state/mcp-client")) == 0o700)
            }
        }

        @Test("failures are said in one line, with an exit status")
        func failures() async throws {
            #expect(try await run([]).status == 64)
            let nowhere = try await run(["http://127.0.0.1:1/mcp"])
            #expect(nowhere.status == 1 && nowhere.errors.hasPrefix("mcp-client: ") && nowhere.output.isEmpty)
            try await ResourceServer.run(.mcp) { server in
                for words in [["subtract"], ["add", "a"], ["add", "a=x", "b=1"]] {
                    let result = try await run([server.resource] + words)
                    #expect(result.status == 1, "\(words)")
                }
            }
        }
    }
}
