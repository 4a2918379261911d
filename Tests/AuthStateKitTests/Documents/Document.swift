import Foundation

/// A document of this repository, read as text.
struct Document: Sendable {
    static let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardized

    /// Every document that people read: those of the repository, and those beside the code of examples and tests.
    static var paths: [String] {
        get throws {
            let folders =
                ["", "Docs", "Tests/Integration/Providers"] + (try names(in: "Examples")).map { "Examples/\($0)" }
            return try folders.flatMap { folder in
                try names(in: folder).filter { $0.hasSuffix(".md") }.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
            }
        }
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()
    }

    /// Its place in the repository.
    let path: String
    var text: String

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The document with another text.
    func replacing(_ old: String, with new: String) -> Document {
        var copy = self
        copy.text = text.replacing(old, with: new)
        return copy
    }

    /// Links that lead to no file of the repository, or to no heading of it.
    var deadLinks: [String] {
        text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }.filter { !$0.contains("://") && !leads($0) }
    }

    /// Paths of this repository that lead to no file, seen from the document or from the root.
    var deadPaths: [String] {
        text.matches(of: /`((?:Sources|Tests|Docs|Examples|\.ci)\/[^`\s]+)`|((?:\.\.\/)+[\w.\/+-]+)/)
            .compactMap { $0.1 ?? $0.2 }.map(String.init)
            .filter { path in
                !leads(path) && !FileManager.default.fileExists(atPath: Self.root.appending(path: path).path)
            }
    }

    /// The names that its headings have in links.
    var anchors: Set<String> {
        Set(
            text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
                heading.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
                    .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            })
    }

    /// The cells of the table under a heading, without its first two lines.
    func table(under heading: String) -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "## \(heading)") else { return [] }
        let rows = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
        return rows.map { row in
            row.dropFirst().dropLast().split(separator: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private func leads(_ link: String) -> Bool {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let folder = Self.root.appending(path: path).deletingLastPathComponent()
        let file = parts[0].isEmpty ? Self.root.appending(path: path) : folder.appending(path: parts[0])
        guard FileManager.default.fileExists(atPath: file.path) else { return false }
        guard parts.count == 2, file.pathExtension == "md" else { return true }
        let target = String(file.standardized.path.dropFirst(Self.root.path.count + 1))
        return (try? Document(target).anchors.contains(String(parts[1]))) ?? false
    }
}
