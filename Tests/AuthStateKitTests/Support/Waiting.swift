import Testing

/// Runs a body and gives up after a generous real time, so that a hang is a failure.
///
/// A body that does not heed its cancellation is left behind, or it would hold up the test in place of what it waits for.
func bounded<R: Sendable>(
    _ limit: Duration = .seconds(60), _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    let (ends, end) = AsyncStream<Result<R, any Error>>.makeStream()
    let work = Task {
        do { end.yield(.success(try await body())) } catch { end.yield(.failure(error)) }
    }
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

/// Polls until the condition holds, for at most half a minute unless told otherwise.
nonisolated(nonsending) func eventually(
    within limit: Duration = .seconds(30), _ condition: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try !condition() {
        try #require(ContinuousClock.now < end, "the condition did not come true in time")
        await Task.yield()
    }
}
