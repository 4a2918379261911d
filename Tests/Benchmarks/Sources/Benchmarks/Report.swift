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

/// The measure of a call in a comparison: the time that one takes, or how many there are in a second.
enum Measure {
    case time
    case rate

    var heading: String {
        switch self {
        case .time: "time per call"
        case .rate: "calls per second"
        }
    }

    func value(nanoseconds: Double) -> Double {
        switch self {
        case .time: nanoseconds
        case .rate: 1e9 / nanoseconds
        }
    }

    func text(_ value: Double) -> String {
        switch self {
        case .time: duration(value)
        case .rate: String(format: "%.0f", value)
        }
    }

    /// Says in words whether a ratio to the reference meets a goal.
    func verdict(_ ratio: Double, goal: Double) -> String {
        switch self {
        case .time: "≤ \(decimal(goal)) \(ratio <= goal ? "met" : "missed")"
        case .rate: "≥ \(decimal(goal)) \(ratio >= goal ? "met" : "missed")"
        }
    }
}

/// One line of the report.
struct Row {
    let name: String
    let tasks: Int
    let measure: Measure
    let value: Spread
    /// To the first row of the comparison; nil for that one.
    let ratio: Spread?
    let goal: Double?

    var columns: [String] {
        let verdict = ratio.flatMap { ratio in goal.map { measure.verdict(ratio.median, goal: $0) } }
        return [name, "\(tasks)", value.text(measure.text), ratio?.text(decimal) ?? "1", verdict ?? ""]
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
    table(["", "tasks", (rows.first?.measure ?? .time).heading, "ratio to \(reference)", "goal"], rows.map(\.columns))
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
