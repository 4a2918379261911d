import AuthStateJOSE

/// One result that many tasks may wait for; cancelling a waiter resumes that one at once, and no other.
///
/// Waiting on a `Task`'s value does not suffice: such a waiter, when cancelled, still waits for the task's end.
package final class SharedResult<Value: Sendable>: Sendable {
    private struct State {
        /// In the order in which they came; nil is one that has not begun to wait, or was cancelled.
        var waiters: [CheckedContinuation<Value, any Error>?] = []
        var count = 0
        var result: Result<Value, any Error>?
    }

    private let state = Lock(State())

    package init() {}

    package var isFinished: Bool { state.withLock { $0.result != nil } }
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

    /// Waits for the result; throws its error, or `CancellationError` as soon as the calling task is cancelled.
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

/// Runs work, and gives up waiting for it when the time is over, also when the work ignores its cancellation; with a grace
/// it is waited for so long after its cancellation. Throws the work's error, or `DeadlineExceeded`.
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

package struct DeadlineExceeded: Error {}

/// One login that any number of callers wait for; when the last stops waiting, it is cancelled and the browser closes.
///
/// Join and cancel it in one isolation, so that no caller joins a login that is being cancelled.
package final class SharedLogin<Value: Sendable>: Sendable {
    private let result: SharedResult<Value>
    private let task: Task<Void, Never>

    /// Begins the login, which belongs to all of its waiters: the cancellation of the first one is not its own.
    package init(_ login: @escaping @Sendable () async throws -> Value) {
        let result = SharedResult<Value>()
        self.result = result
        task = Task {
            do { result.finish(.success(try await login())) } catch { result.finish(.failure(error)) }
        }
    }

    /// Whether there is a result, so that no caller waits any more.
    package var isOver: Bool { result.isFinished }

    /// Waits for its result; throws the login's error, or `CancellationError` as soon as the calling task is cancelled.
    package nonisolated(nonsending) func value() async throws -> Value {
        do { return try await result.value() } catch is CancellationError where Task.isCancelled {
            if result.waiterCount == 0 { giveUp(CancellationError()) }
            throw CancellationError()
        }
    }

    /// Cancels the login; every waiter gets this error at once.
    package func giveUp(_ error: any Error) {
        result.finish(.failure(error))
        task.cancel()
    }

    package func end() async { await task.value }
}
