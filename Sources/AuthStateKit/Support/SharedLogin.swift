/// One login, however many wait for it; when the last of them gives up, so does it, and the browser closes.
///
/// To be joined and given up in one isolation, so that nobody joins one that is being given up.
final class SharedLogin<Value: Sendable>: Sendable {
    private let result: SharedResult<Value>
    private let task: Task<Void, Never>

    /// Begins; the login belongs to all who wait, and the cancellation of the first is not its own.
    init(_ login: @escaping @Sendable () async throws -> Value) {
        let result = SharedResult<Value>()
        self.result = result
        task = Task {
            do { result.finish(.success(try await login())) } catch { result.finish(.failure(error)) }
        }
    }

    /// Whether there is a result, and nobody waits any more.
    var isOver: Bool { result.isFinished }

    /// Waits for its result.
    ///
    /// - Throws: What the login throws, or `CancellationError` as soon as the calling task is cancelled.
    nonisolated(nonsending) func value() async throws -> Value {
        do { return try await result.value() } catch is CancellationError where Task.isCancelled {
            if result.waiterCount == 0 { giveUp(CancellationError()) }
            throw CancellationError()
        }
    }

    /// Ends it; whoever waits gets this error at once.
    func giveUp(_ error: any Error) {
        result.finish(.failure(error))
        task.cancel()
    }

    /// Waits until nothing of it runs any more.
    func end() async { await task.value }
}
