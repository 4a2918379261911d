/// The bound of a figure: the most of a time or a size, the least of a rate.
struct Goal: Sendable {
    enum Subject: Sendable {
        /// The ratio to the first contender.
        case ratio
        /// The figure itself.
        case value
        /// The difference from the first contender.
        case excess
    }

    let subject: Subject
    let limit: Double

    static func ratio(_ limit: Double) -> Goal { Goal(subject: .ratio, limit: limit) }
    static func value(_ limit: Double) -> Goal { Goal(subject: .value, limit: limit) }
    static func excess(_ limit: Double) -> Goal { Goal(subject: .excess, limit: limit) }
}

/// A figure that has a goal.
struct Figure: Sendable {
    private(set) var name: String
    let measure: Measure
    let value: Double
    /// To the first contender of the comparison; nil without one.
    var ratio: Double?
    /// The difference from the first contender.
    var excess: Double?
    let goal: Goal

    init(_ name: String, _ measure: Measure, value: Double, goal: Goal) {
        self.name = name
        self.measure = measure
        self.value = value
        self.goal = goal
    }

    func named(_ benchmark: String) -> Figure {
        var figure = self
        figure.name = "\(benchmark): \(name)"
        return figure
    }

    /// The number that later runs are compared with: the ratio, or the figure itself where there is no peer.
    var comparable: Double { ratio ?? value }

    func comparableText(_ number: Double) -> String { ratio == nil ? measure.text(number) : decimal(number) }

    /// Returns whether the figure is worse than an earlier one by more than a tenth.
    func isRegression(from earlier: Double) -> Bool {
        measure.isBetterWhenSmaller ? comparable > earlier * 1.1 : comparable < earlier / 1.1
    }

    /// The goal, and whether it is met; nil when the contender that it refers to was left out.
    ///
    /// A ratio is compared as it is printed, with two decimals.
    var verdict: String? {
        let (reached, limit): (Double?, String)
        switch goal.subject {
        case .ratio: (reached, limit) = (ratio.map { ($0 * 100).rounded() / 100 }, decimal(goal.limit))
        case .value: (reached, limit) = (value, measure.text(goal.limit))
        case .excess: (reached, limit) = (excess, "the peer + \(measure.text(goal.limit))")
        }
        guard let reached else { return nil }
        let isMet = measure.isBetterWhenSmaller ? reached <= goal.limit : reached >= goal.limit
        return "\(measure.isBetterWhenSmaller ? "≤" : "≥") \(limit) \(isMet ? "met" : "missed")"
    }
}
