import Synchronization

/// Callers that wait for a value under a key; one that is cancelled waits no longer.
public final class Waiters<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let waiting = Mutex<[Key: CheckedContinuation<Value, any Error>]>([:])

    /// Makes it, without callers.
    public init() {}

    /// Waits for the value of a key; the caller waits when its actor is free again.
    ///
    /// - Parameter start: Called once the caller waits.
    public nonisolated(nonsending) func value(for key: Key, after start: () -> Void = {}) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let other = waiting.withLock { $0.updateValue(continuation, forKey: key) }
                other?.resume(throwing: CancellationError())
                if Task.isCancelled { resume(key, with: .failure(CancellationError())) } else { start() }
            }
        } onCancel: {
            resume(key, with: .failure(CancellationError()))
        }
    }

    /// Ends the wait for a key; returns whether a caller waited.
    @discardableResult
    public func resume(_ key: Key, with result: Result<Value, any Error>) -> Bool {
        guard let continuation = waiting.withLock({ $0.removeValue(forKey: key) }) else { return false }
        continuation.resume(with: result)
        return true
    }

    /// Ends the wait of all callers.
    public func resumeAll(with result: Result<Value, any Error>) {
        let all = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        for continuation in all.values { continuation.resume(with: result) }
    }
}

extension Task {
    /// Waits for the result, but no longer than until the waiting task is cancelled.
    public nonisolated(nonsending) func valueUnlessCancelled() async throws -> Success {
        let waiters = Waiters<Int, Success>()
        return try await waiters.value(for: 0) {
            Task<Void, Never> { waiters.resume(0, with: await self.result.mapError { $0 as any Error }) }
        }
    }
}
