import AuthStateApp
import AuthStateResource
import AuthStateServer
import Testing

/// Docs/Options.md: a row for each setting, with the default and the meaning that the source has.
struct OptionsTests {
    private static let sources = [
        "AuthorizationService.Configuration": "Sources/AuthStateKit/Service/AuthorizationService.swift",
        "AuthState.Options": "Sources/AuthStateKit/AuthState/AuthState+Options.swift",
        "AuthStatePool.Options": "Sources/AuthStateServer/Pool/AuthStatePool+Options.swift",
        "AuthSessionConfiguration": "Sources/AuthStateApp/AuthSessionConfiguration.swift",
        "ResourceAccess.Options": "Sources/AuthStateResource/ResourceAccess+Options.swift",
        "OpenIDProvider.ProtectedResource":
            "Sources/AuthStateTesting/Provider/Model/OpenIDProvider+ProtectedResource.swift",
        "IDTokenPolicy": "Sources/AuthStateOAuth/IDToken/IDTokenPolicy.swift",
        "OpenIDProvider.Configuration": "Sources/AuthStateTesting/Provider/Model/OpenIDProvider+Configuration.swift",
    ]

    /// Returns the rows that a type's properties need, read from its declaration.
    private func rows(of type: String, in source: String) throws -> [[String]] {
        let name = type.split(separator: ".").last.map(String.init) ?? type
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.contains("public struct \(name)") })
        let indentation = lines[start].prefix { $0 == " " }
        let end = try #require(lines[start...].firstIndex(of: "\(indentation)}"))
        let property = /public var (\w+)(?:: ([^={]+?))?(?: = (.+?))?(?: \{)?/
        var rows: [[String]] = []
        var comment: [Substring] = []
        for index in start..<end {
            let line = lines[index].drop { $0 == " " }
            if line.hasPrefix("///") {
                comment.append(line.dropFirst(3).drop { $0 == " " })
                continue
            }
            if let match = line.wholeMatch(of: property) {
                // A list on lines of its own.
                var preset = match.3.map(String.init)
                if preset == "[" { preset = "[" + lines[index + 1].drop { $0 == " " }.dropLast() + "]" }
                let isOptional = match.2?.hasSuffix("?") == true
                rows.append([
                    "`\(match.1)`", preset.map { "`\($0)`" } ?? (isOptional ? "nil" : "required"),
                    comment.prefix { !$0.isEmpty }.joined(separator: " "),
                ])
            }
            comment = []
        }
        return rows
    }

    @Test("every setting has its row, with its default and its meaning", arguments: sources.keys.sorted())
    func table(type: String) throws {
        let source = try Document(try #require(Self.sources[type])).text
        let expected = try rows(of: type, in: source)
        #expect(expected.count > 4)
        #expect(try Document("Docs/Options.md").table(under: type) == expected)
    }
}
