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

    /// Waits for its result.
    ///
    /// - Throws: The login's error, or `CancellationError` as soon as the calling task is cancelled.
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

    /// Waits until its task has ended.
    package func end() async { await task.value }
}
