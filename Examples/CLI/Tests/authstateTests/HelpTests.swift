import ArgumentParser
import AuthStateKit
import Testing

@testable import authstate

@Suite("The help")
struct HelpTests {
    private static var commands: [any ParsableCommand.Type] {
        AuthStateCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
    }

    @Test("shows only examples that the program understands")
    func examples() throws {
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
