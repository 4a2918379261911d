import Foundation
import Testing

/// The advice that stands in the sources.
struct HintTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

    private static func sources(_ folder: String) throws -> [(path: String, text: String)] {
        let root = Self.folder.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        return try paths.map { ($0, try String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
    }

    /// Returns the names in the hints of a text that look like ones of the library's declarations.
    private static func names(inHintsOf text: String) -> [String] {
        text.matches(of: /hint:\s*((?:"(?:[^"\\]|\\.)*"\s*\+?\s*)+)/).flatMap { hint in
            let words = String(hint.1).replacing(/\\\([^)]*\)/, with: "")
            return words.matches(of: /\b(?:[a-z]+|[A-Z][a-z]+)[A-Z]\w+\b/).map { String($0.0) }
        }
    }

    /// Names of others that hints speak of.
    private static let foreign: Set<String> = [
        "OpenID", "iOS", "onOpenURL", "LoadCredential", "SetCredentialEncrypted", "NSAppTransportSecurity",
        "NSAllowsLocalNetworking",
    ]

    @Test func `each name in a hint is one of a declaration`() throws {
        let sources = try Self.sources("Sources")
        var declared = Self.foreign
        for (_, text) in sources {
            for match in text.matches(
                of: /\b(?:let|var|func|case|struct|class|enum|protocol|actor)\s+`?(\w+)|\b(\w+)\s*:/)
            {
                declared.insert(String(match.1 ?? match.2 ?? ""))
            }
        }
        var found = 0
        for (path, text) in sources {
            for name in Self.names(inHintsOf: text) {
                found += 1
                #expect(declared.contains(name), "\(path) advises \(name), which is not declared")
            }
        }
        #expect(found > 20)
        #expect(Self.names(inHintsOf: #"hint: "Allow it with " + "someOption, or \(text)""#) == ["someOption"])
    }
}
