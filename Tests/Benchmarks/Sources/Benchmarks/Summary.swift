import Foundation

/// The ratios of an earlier run, in a file beside the manifest: a name and a number on each line.
struct Baseline {
    private var numbers: [String: Double] = [:]

    private static let path = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../baseline")
        .standardizedFileURL

    /// Reads the file; one that is missing has no numbers.
    static func read() -> Baseline {
        var baseline = Baseline()
        for line in ((try? String(contentsOf: path, encoding: .utf8)) ?? "").split(separator: "\n") {
            guard let space = line.lastIndex(of: " "), let number = Double(line[space...].dropFirst()) else { continue }
            baseline.numbers[String(line[..<space])] = number
        }
        return baseline
    }

    subscript(name: String) -> Double? { numbers[name] }

    /// Returns a baseline with the figures of this run; benchmarks that did not run keep their numbers.
    func updated(with figures: [Figure]) -> Baseline {
        var baseline = self
        for figure in figures { baseline.numbers[figure.name] = figure.comparable }
        return baseline
    }

    func write() throws {
        let lines = numbers.sorted { $0.key < $1.key }.map { "\($0.key) \(String(format: "%.4g", $0.value))\n" }
        try Data(lines.joined().utf8).write(to: Self.path)
    }
}

/// Returns the table of all goals; figures worse than the baseline by more than a tenth are red, or marked in a file.
func summary(_ figures: [Figure], _ baseline: Baseline) -> String {
    let isTerminal = isatty(STDOUT_FILENO) != 0
    let rows = figures.map { figure in
        let earlier = baseline[figure.name]
        let isRegression = earlier.map(figure.isRegression) ?? false
        let mark = isRegression && !isTerminal ? " REGRESSION" : ""
        let columns = [
            figure.name, figure.measure.text(figure.value), figure.ratio.map(decimal) ?? "", figure.verdict ?? "",
            (earlier.map(figure.comparableText) ?? "") + mark,
        ]
        return (columns, isRegression && isTerminal)
    }
    let lines = table(["", "figure", "ratio", "goal", "baseline"], rows.map(\.0)).split(separator: "\n")
    return lines.enumerated().map { index, line in
        index >= 2 && rows[index - 2].1 ? "\u{1B}[31m\(line)\u{1B}[0m" : String(line)
    }.joined(separator: "\n")
}
