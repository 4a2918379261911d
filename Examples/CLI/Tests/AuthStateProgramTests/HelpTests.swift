import ArgumentParser
import AuthStateKit
import Foundation
import Testing

@testable import AuthStateProgram

struct HelpTests {
    private static var commands: [any ParsableCommand.Type] {
        AuthStateCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
    }

    @Test("and the documents put no token into a command's arguments")
    func tokenArguments() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
            .standardizedFileURL
        let documents = try FileManager.default.contentsOfDirectory(atPath: root.path + "/Docs").filter {
            $0.hasSuffix(".md")
        }
        #expect(documents.count > 10)
        let texts = try (documents.map { "Docs/\($0)" } + ["README.md"]).map { name in
            try String(contentsOf: root.appending(path: name), encoding: .utf8)
        }
        for text in texts + Self.commands.map({ $0.helpMessage() }) {
            for word in ["Bearer $(", "Bearer $TOKEN", "Bearer $token"] { #expect(!text.contains(word)) }
        }
    }

    @Test func `shows only examples that the program understands`() throws {
        let examples = Self.commands.flatMap { command in
            command.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix("  authstate ") }
        }
        #expect(examples.count >= 8)
        for example in examples {
            let words = try Browser.split(String(example))
            #expect(throws: Never.self, "\(example)") { _ = try AuthStateCommand.parseAsRoot(Array(words.dropFirst())) }
        }
    }
}
