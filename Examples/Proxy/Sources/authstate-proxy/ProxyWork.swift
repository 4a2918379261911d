import Synchronization

/// The work in progress of a connection.
final class ProxyWork: Sendable {
    private let state = Mutex<(cancel: (@Sendable () -> Void)?, isOver: Bool)>((nil, false))

    /// Runs a body that `cancel()` can cancel; also the caller's task does.
    func run<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        let task = Task { try await body() }
        let isOver = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isOver
        }
        if isOver { task.cancel() }
        defer { state.withLock { $0.cancel = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels the work, and what is begun later: the program has closed the connection.
    func cancel() {
        let cancel = state.withLock { state in
            state.isOver = true
            return state.cancel
        }
        cancel?()
    }
}
