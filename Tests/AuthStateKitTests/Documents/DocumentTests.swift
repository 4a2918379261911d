import Foundation
import Testing

struct DocumentTests {
    @Test(
        "every link leads to a file and a heading that exist, and every path to a file", arguments: try Document.paths)
    func links(_ path: String) throws {
        let document = try Document(path)
        #expect(document.deadLinks == [])
        #expect(document.deadPaths == [])
    }

    @Test("the documents of the examples are among them")
    func examples() throws { #expect(try Document.paths.contains("Examples/PostgresStore/README.md")) }

    @Test func `a link or a path that leads nowhere is found`() throws {
        var document = try Document("Docs/Testing.md")
        document.text =
            "[a](Testing.md) [b](#log-in-without-a-browser) [c](../README.md#not-yet) [d](https://a.example)"
        #expect(document.deadLinks == [])
        document.text = "[a](Missing.md) [b](#missing) [c](../README.md#missing)"
        #expect(document.deadLinks == ["Missing.md", "#missing", "../README.md#missing"])
        document.text = "`Examples/Server`, `.ci/run` `./run` ../Package.swift"
        #expect(document.deadPaths == [])
        document.text = "`Examples/Missing` and `.ci/missing`\n../../missing/install.sh # so"
        #expect(document.deadPaths == ["Examples/Missing", ".ci/missing", "../../missing/install.sh"])
    }
}

/// Docs/Migrating.md: a row for each heading of the tutorials that it goes through.
struct TourTests {
    private struct Sections: Decodable {
        var document: String
        var sections: [String]
    }

    /// Returns the faults of a tour: rows that are missing, too many or inconsistent.
    private func problems(_ tour: Document) throws -> [String] {
        let fixture = try Document("Tests/Fixtures/Documents/sections.json")
        let statuses = ["covered", "type-checked", "retired", "nothing to do"]
        return try JSONDecoder().decode([Sections].self, from: Data(fixture.text.utf8)).flatMap { expected in
            let rows = tour.table(under: expected.document)
            let sections = rows.map { $0.count == 6 ? $0[1] : "not six cells" }
            var problems = sections == expected.sections ? [] : ["the sections of \(expected.document)"]
            for row in rows where row.count == 6 {
                let (example, tests, status) = (row[3], row[4], row[5])
                if !statuses.contains(status) { problems.append("\(row[0]): the status \(status)") }
                if (status == "covered") != tests.contains("`") {
                    problems.append("\(row[0]): \(status), tests \(tests)")
                }
                if status == "type-checked", !example.contains("](") { problems.append("\(row[0]): no example") }
            }
            return problems
        }
    }

    @Test func `every heading has its row`() throws { #expect(try problems(Document("Docs/Migrating.md")) == []) }

    @Test func `a heading without a row, a row without a test and a row too many are found`() throws {
        let tour = try Document("Docs/Migrating.md")
        let row = try String(#require(tour.text.split(separator: "\n").first { $0.hasPrefix("| P5 |") }))
        let cells = row.split(separator: " | ").map(String.init)
        let changes = [
            ("\(row)\n", ""),
            (row, "\(row)\n\(row)"),
            (row, row.replacing(cells[1], with: "Step 9")),
            (row, row.replacing(cells[4], with: "–")),
            (row, row.replacing("covered", with: "later")),
            (row, row.replacing("covered", with: "retired")),
            (row, row.replacing(cells[4], with: "–").replacing("covered", with: "type-checked")),
        ]
        for (old, new) in changes { #expect(try !problems(tour.replacing(old, with: new)).isEmpty, "\(old) → \(new)") }
    }
}
