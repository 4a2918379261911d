import ArgumentParser
import Foundation
import Testing

@testable import AuthStateProgram

struct AdviceOptionTests {
    /// Options of other programs that a message names.
    private static let foreign: Set<String> = [
        "--add", "--exec-api-version", "--exec-arg", "--exec-command", "--exec-interactive-mode", "--global",
        "--package-path", "--generate-completion-script", "--until-eof",
    ]

    private static func options(_ text: String) -> Set<String> {
        Set(text.matches(of: /(?:^|[^\w-])(--[a-z][a-z-]*[a-z])/).map { String($0.1) })
    }

    private static func known(_ command: any ParsableCommand.Type) -> Set<String> {
        let own = options(AuthStateCommand.helpMessage(for: command, includeHidden: true))
        let subcommands =
            command.configuration.subcommands + command.configuration.groupedSubcommands.flatMap(\.subcommands)
        return subcommands.reduce(own) { $0.union(known($1)) }
    }

    @Test func `each option that a message, a help text or an advice names is one of this program`() throws {
        let known = Self.known(AuthStateCommand.self).union(Self.foreign)
        #expect(known.isSuperset(of: ["--tolerate", "--issuer", "--min-validity"]))
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        var found = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            for option in Self.options(text) {
                found += 1
                #expect(known.contains(option), "\(path) names \(option)")
            }
        }
        #expect(found > 100)
    }
}
