import Testing

/// Runs a body and gives up after a generous real time, so that a hang is a failure.
func bounded<R: Sendable>(
    _ limit: Duration = .seconds(60), _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    try await withThrowingTaskGroup(of: R.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw Hang()
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw Hang() }
        return first
    }
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
