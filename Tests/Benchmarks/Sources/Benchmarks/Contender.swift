import Foundation

/// One of several ways to do the same thing, to be timed beside the others.
struct Contender {
    let name: String
    /// Makes so many calls, spread over so many tasks, and returns the nanoseconds that one call took.
    let round: (_ tasks: Int, _ calls: Int) async throws -> Double
    /// As a ratio to the reference, the most that it may take, or the least that its rate must reach; nil when nothing is
    /// promised.
    var goal: Double?

    init(_ name: String, goal: Double? = nil, round: @escaping (Int, Int) async throws -> Double) {
        self.name = name
        self.goal = goal
        self.round = round
    }

    /// A contender in this process; the body makes the number of calls that it is given.
    init(_ name: String, goal: Double? = nil, body: @escaping @Sendable (Int) async throws -> Void) {
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

    /// A contender in this process that waits for nothing: what counts is the time for which processors worked for it.
    init(working name: String, goal: Double? = nil, body: @escaping @Sendable (Int) async throws -> Void) {
        self.init(name, goal: goal) { _, calls in
            let start = processorTime()
            try await body(calls)
            return (processorTime() - start) / Double(calls)
        }
    }
}

/// The nanoseconds for which processors have worked for this process.
private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Times contenders in turn, round by round, so that whatever else the machine does meets all of them alike.
///
/// Ratios are taken within a round, to the first contender.
func compare(
    _ contenders: [Contender], tasks: Int, calls: Int, rounds: Int, of measure: Measure = .time
) async throws -> [Row] {
    var values = [[Double]](repeating: [], count: contenders.count)
    for contender in contenders { _ = try await contender.round(tasks, max(tasks, calls / 4)) }
    for _ in 0..<rounds {
        for (index, contender) in contenders.enumerated() {
            values[index].append(measure.value(nanoseconds: try await contender.round(tasks, calls)))
        }
    }
    return contenders.indices.map { index in
        Row(
            name: contenders[index].name, tasks: tasks, measure: measure, value: Spread(values[index]),
            ratio: index == 0 ? nil : Spread(zip(values[index], values[0]).map { $0 / $1 }),
            goal: contenders[index].goal)
    }
}
