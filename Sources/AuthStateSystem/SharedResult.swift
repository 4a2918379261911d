import AuthStateJOSE

/// One result that many tasks may wait for; cancelling a waiter resumes that one at once, and no other.
///
/// Waiting on a `Task`'s value does not suffice: such a waiter, when cancelled, still waits for the task's end.
package final class SharedResult<Value: Sendable>: Sendable {
    private struct State {
        /// In the order in which they came; nil is one that has not begun to wait, or was cancelled.
        var waiters: [CheckedContinuation<Value, any Error>?] = []
        /// The number of those that wait.
        var count = 0
        var result: Result<Value, any Error>?
    }

    private let state = Lock(State())

    package init() {}

    /// Whether the result is there.
    package var isFinished: Bool { state.withLock { $0.result != nil } }

    /// The number of waiters.
    var waiterCount: Int { state.withLock { $0.count } }

    /// Sets the result and resumes all waiters; returns false when there was one already, which stands.
    @discardableResult
    package func finish(_ result: Result<Value, any Error>) -> Bool {
        let waiters: [CheckedContinuation<Value, any Error>?]? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            defer { (state.waiters, state.count) = ([], 0) }
            return state.waiters
        }
        for waiter in waiters ?? [] { waiter?.resume(with: result) }
        return waiters != nil
    }

    /// Waits for the result.
    ///
    /// - Throws: The result's error, or `CancellationError` as soon as the calling task is cancelled.
    package nonisolated(nonsending) func value() async throws -> Value {
        let place: Int = state.withLock { state in
            guard state.result == nil else { return 0 }
            state.waiters.append(nil)
            return state.waiters.count - 1
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let immediate: Result<Value, any Error>? = state.withLock { state in
                    if let result = state.result { return result }
                    // A cancellation before this point found no waiter to resume; one after it finds this one.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[place] = continuation
                    state.count += 1
                    return nil
                }
                if let immediate { continuation.resume(with: immediate) }
            }
        } onCancel: {
            let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
                guard state.result == nil, let waiter = state.waiters[place] else { return nil }
                state.waiters[place] = nil
                state.count -= 1
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }
}

/// Runs work, and gives up waiting for it when the time is over, also when the work ignores its cancellation.
///
/// - Parameter grace: The time to wait for the work's result once the time is over and the work is cancelled.
/// - Throws: The work's error, or `DeadlineExceeded`.
package func withDeadline<Value: Sendable>(
    _ deadline: Duration, clock: any Clock<Duration>, grace: Duration = .zero,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let result = SharedResult<Value>()
    let worker = Task {
        do { result.finish(.success(try await work())) } catch { result.finish(.failure(error)) }
    }
    let timer = Task {
        do {
            try await clock.sleep(for: deadline)
            if grace > .zero {
                worker.cancel()
                try await clock.sleep(for: grace)
            }
            result.finish(.failure(DeadlineExceeded()))
        } catch {}
    }
    defer {
        worker.cancel()
        timer.cancel()
    }
    return try await result.value()
}

/// The time was over before the work was done.
package struct DeadlineExceeded: Error {}
