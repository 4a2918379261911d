import Foundation

/// The middle of several measurements, and the bounds of the middle half of them.
struct Spread {
    let median: Double
    let lower: Double
    let upper: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        median = sorted[sorted.count / 2]
        lower = sorted[sorted.count / 4]
        upper = sorted[sorted.count * 3 / 4]
    }

    func text(_ format: (Double) -> String) -> String { "\(format(median)) (\(format(lower))–\(format(upper)))" }
}

/// One line of the report.
struct Row {
    let name: String
    let tasks: Int
    let nanoseconds: Spread
    /// To the first row of the comparison; nil for that one.
    let ratio: Spread?
    let goal: Double?

    var columns: [String] {
        let verdict = ratio.flatMap { ratio in
            goal.map { "≤ \(decimal($0)) \(ratio.median <= $0 ? "met" : "missed")" }
        }
        return [name, "\(tasks)", nanoseconds.text(duration), ratio?.text(decimal) ?? "1", verdict ?? ""]
    }
}

/// A table in Markdown, which reads well in a terminal too.
func table(_ header: [String], _ rows: [[String]]) -> String {
    let lines = [header] + rows
    let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
        "| "
            + zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ")
            + " |"
    }
    let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
    return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
}

func comparison(_ rows: [Row], to reference: String) -> String {
    table(["", "tasks", "time per call", "ratio to \(reference)", "goal"], rows.map(\.columns))
}

func decimal(_ value: Double) -> String { String(format: "%.2f", value) }

/// Nanoseconds in the unit that suits them.
func duration(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1_000: String(format: "%.0f ns", nanoseconds)
    case ..<1_000_000: String(format: "%.1f µs", nanoseconds / 1_000)
    default: String(format: "%.1f ms", nanoseconds / 1_000_000)
    }
}
