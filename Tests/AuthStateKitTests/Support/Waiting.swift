import Testing

/// What a wait in a test may take before it counts as a hang; below the time limit of the suites, which name no condition.
///
/// On a busy machine a test can take a minute of real time where it needs a second alone: the bound only has to end a
/// hang, and says nothing about speed.
let longerThanAnyWait = Duration.seconds(240)

/// Runs a body and gives up after a generous real time, so that a hang is a failure.
///
/// A body that does not heed its cancellation is left behind, or it would hold up the test in place of what it waits for.
func bounded<R: Sendable>(
    _ limit: Duration = longerThanAnyWait, _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    let (ends, end) = AsyncStream<Result<R, any Error>>.makeStream()
    let work = Task { do { end.yield(.success(try await body())) } catch { end.yield(.failure(error)) } }
    let timer = Task {
        try await Task.sleep(for: limit)
        end.yield(.failure(Hang()))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    for await first in ends { return try first.get() }
    throw CancellationError()
}

struct Hang: Error {}

/// Runs a body in so many tasks at once and returns their results, in any order; the first error ends it.
@discardableResult
func together<R: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (_ number: Int) async throws -> R
) async throws -> [R] {
    try await withThrowingTaskGroup(of: R.self) { group in
        for number in 0..<count { group.addTask { try await body(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// Polls until the condition holds, for at most four minutes unless told otherwise.
///
/// Mostly it holds after a few turns; after that a poll that only yields would keep the other tests from the processor.
nonisolated(nonsending) func eventually(
    within limit: Duration = longerThanAnyWait, _ condition: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    var turns = 0
    while try !condition() {
        try #require(ContinuousClock.now < end, "the condition did not come true in time")
        turns += 1
        if turns < 100 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(2)) }
    }
}
