internal import AuthStateJOSE

/// A result that arrives once, from any thread, and is awaited by at most one task, whose cancellation frees it at once.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, any Error>)
        case settled(Result<Value, any Error>)
    }

    private let state = Lock<State>(.empty)

    /// Whether the result is there.
    var isSettled: Bool {
        state.withLock { if case .settled = $0 { true } else { false } }
    }

    /// Sets the result; false when there was one already.
    @discardableResult
    func settle(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            switch state {
            case .settled: return (false, nil)
            case .empty:
                state = .settled(result)
                return (true, nil)
            case .awaited(let continuation):
                state = .settled(result)
                return (true, continuation)
            }
        }
        waiter?.resume(with: result)
        return isFirst
    }

    /// Waits for the result; cancelling the task settles it with `CancellationError`.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled = state.withLock { state -> Result<Value, any Error>? in
                    switch state {
                    case .settled(let result): return result
                    case .awaited: preconditionFailure("A OneShot is awaited by one task.")
                    case .empty:
                        state = .awaited(continuation)
                        return nil
                    }
                }
                if let settled { continuation.resume(with: settled) }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }
}
