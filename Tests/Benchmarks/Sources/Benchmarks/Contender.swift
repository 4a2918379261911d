/// One of several ways to do the same thing, to be timed beside the others.
struct Contender {
    let name: String
    /// Makes so many calls, spread over so many tasks, and returns the nanoseconds that one call took.
    let round: (_ tasks: Int, _ calls: Int) async throws -> Double
    /// The bound to keep; nil when nothing is promised.
    var goal: Goal?

    init(_ name: String, goal: Goal? = nil, round: @escaping (Int, Int) async throws -> Double) {
        self.name = name
        self.goal = goal
        self.round = round
    }

    /// A contender in this process; the body makes the number of calls that it is given.
    init(_ name: String, goal: Goal? = nil, body: @escaping @Sendable (Int) async throws -> Void) {
        self.init(name, goal: goal) { tasks, calls in
            let elapsed = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<tasks { group.addTask { try await body(calls / tasks) } }
                    try await group.waitForAll()
                }
            }
            return elapsed / .nanoseconds(1) / Double(calls / tasks * tasks)
        }
    }

    /// A contender in this process, measured by the time for which processors worked for it, without its waiting.
    init(working name: String, goal: Goal? = nil, body: @escaping @Sendable (Int) async throws -> Void) {
        self.init(name, goal: goal) { _, calls in
            let start = Processors.timeOfThisProcess()
            try await body(calls)
            return (Processors.timeOfThisProcess() - start) / Double(calls)
        }
    }
}

/// Times contenders in turn, round by round, so that whatever else the machine does meets all of them alike.
///
/// Ratios and differences are taken within a round, to the first contender.
func compare(
    _ contenders: [Contender], tasks: Int, calls: Int, rounds: Int, of measure: Measure = .time
) async throws -> [Row] {
    var values = [[Double]](repeating: [], count: contenders.count)
    var processors = [Processors](repeating: Processors(), count: contenders.count)
    for contender in contenders { _ = try await contender.round(tasks, max(tasks, calls / 4)) }
    for _ in 0..<rounds {
        for (index, contender) in contenders.enumerated() {
            let start = Processors.now()
            values[index].append(measure.value(nanoseconds: try await contender.round(tasks, calls)))
            processors[index].add(from: start, to: Processors.now())
        }
    }
    return contenders.indices.map { index in
        let pairs = Array(zip(values[index], values[0]))
        return Row(
            name: contenders[index].name, tasks: tasks, measure: measure, value: Spread(values[index]),
            ratio: index == 0 ? nil : Spread(pairs.map { $0 / $1 }),
            excess: index == 0 ? nil : Spread(pairs.map { $0 - $1 }),
            idle: processors[index].idlePart, goal: contenders[index].goal)
    }
}
