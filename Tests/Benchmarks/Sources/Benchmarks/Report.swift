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

/// The unit of a comparison.
enum Measure: Sendable {
    case time
    case processorTime
    case wholeTime
    case rate
    case bytes

    var heading: String {
        switch self {
        case .time: "time per call"
        case .processorTime: "processor time per call"
        case .wholeTime: "time for all"
        case .rate: "calls per second"
        case .bytes: "bytes"
        }
    }

    var isBetterWhenSmaller: Bool { self != .rate }

    func value(nanoseconds: Double) -> Double { self == .rate ? 1e9 / nanoseconds : nanoseconds }

    func text(_ value: Double) -> String {
        switch self {
        case .time, .processorTime, .wholeTime: duration(value)
        case .rate: String(format: "%.0f", value)
        case .bytes: String(format: "%.0f bytes", value)
        }
    }
}

/// The text of a benchmark's section, and those of its figures that have a goal.
struct Report {
    let text: String
    var figures: [Figure] = []

    init(_ text: String, _ figures: [Figure] = []) {
        self.text = text
        self.figures = figures
    }

    /// Makes the report of a comparison.
    init(_ rows: [Row], to reference: String) {
        let measure = rows.first?.measure ?? .time
        var header = ["", "tasks", measure.heading, "ratio to \(reference)", "goal"]
        let showsIdle = rows.contains { $0.tasks > 1 && $0.idle != nil }
        if showsIdle { header.append("processors idle") }
        self.init(
            table(header, rows.map { $0.columns + (showsIdle ? [$0.idle.map(percentage) ?? ""] : []) }),
            rows.compactMap(\.figure))
    }
}

/// One line of the report.
struct Row {
    let name: String
    let tasks: Int
    let measure: Measure
    let value: Spread
    /// To the first row of the comparison; nil for that one.
    var ratio: Spread?
    /// The difference from the first row.
    var excess: Spread?
    /// The part of the processors' time that nothing used during the contender's rounds.
    var idle: Double?
    let goal: Goal?

    var figure: Figure? {
        goal.map { goal in
            let name = tasks == 1 ? name : "\(name), \(tasks) tasks"
            var figure = Figure(name, measure, value: value.median, goal: goal)
            figure.ratio = ratio?.median
            figure.excess = excess?.median
            return figure
        }
    }

    var columns: [String] {
        [name, "\(tasks)", value.text(measure.text), ratio?.text(decimal) ?? "1", figure?.verdict ?? ""]
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

func decimal(_ value: Double) -> String { String(format: "%.2f", value) }

func percentage(_ part: Double) -> String { String(format: "%.0f %%", part * 100) }

/// Nanoseconds in the unit that suits them.
func duration(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1_000: String(format: "%.0f ns", nanoseconds)
    case ..<1_000_000: String(format: "%.1f µs", nanoseconds / 1_000)
    default: String(format: "%.1f ms", nanoseconds / 1_000_000)
    }
}
