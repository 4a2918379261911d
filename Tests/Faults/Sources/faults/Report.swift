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

/// With so many digits after the point.
func decimal(_ value: Double, _ digits: Int = 2) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let rounded = (value * scale).rounded() / scale
    return digits == 0 ? "\(Int(rounded))" : "\(rounded)"
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}

extension Array where Element: Comparable {
    /// The middle one.
    var median: Element? { isEmpty ? nil : sorted()[count / 2] }
}
