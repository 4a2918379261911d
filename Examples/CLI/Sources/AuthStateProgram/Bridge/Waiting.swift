import AuthStateKit
import MCPClient
import Synchronization

extension Task {
    /// Waits for the end, but no longer than so long.
    nonisolated(nonsending) func wait(atMost limit: Duration) async {
        let waiters = Waiters<Int, Void>()
        let timer = Task<Void, Never> {
            try? await Task<Never, Never>.sleep(for: limit)
            waiters.resume(0, with: .success(()))
        }
        try? await waiters.value(for: 0) {
            Task<Void, Never> {
                _ = await self.result
                waiters.resume(0, with: .success(()))
            }
        }
        timer.cancel()
    }
}

/// Runs a body that may take so long.
///
/// - Parameter isShort: Whether the body begins on this thread, so that what has come already is had without another one: it may not
///   read an endless stream, which nothing would cancel before its first wait.
/// - Throws: `BridgeFailure` when it takes longer, and its errors.
func within<R: Sendable>(
    _ limit: Duration, isShort: Bool = false, _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    let task: Task<R, any Error>
    if isShort, #available(macOS 26.0, *) {
        task = .immediate { try await body() }
    } else {
        task = Task { try await body() }
    }
    let end = Deadlines.shared.add(limit) { task.cancel() }
    let result = await withTaskCancellationHandler {
        await task.result
    } onCancel: {
        task.cancel()
    }
    let isLate = !Deadlines.shared.remove(end)
    if isLate, !Task.isCancelled, case .failure(let error) = result, error is CancellationError {
        throw BridgeFailure(
            .internalError, "The server's answer did not end within \(limit.components.seconds) seconds.")
    }
    return try result.get()
}

/// Functions that are called at their time, unless they are removed before.
///
/// One task sleeps for all: a task and a timer for each cost a tenth of a short message.
private final class Deadlines: Sendable {
    static let shared = Deadlines()

    private struct State {
        var functions: [Int: (end: ContinuousClock.Instant, call: @Sendable () -> Void)] = [:]
        var last = 0
        /// The time at which a task looks for functions to call.
        var nextLook: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func add(_ limit: Duration, _ call: @escaping @Sendable () -> Void) -> Int {
        let end = ContinuousClock.now + limit
        let (number, isFirst) = state.withLock { state in
            state.last += 1
            state.functions[state.last] = (end, call)
            let isFirst = state.nextLook.map { end < $0 } ?? true
            if isFirst { state.nextLook = end }
            return (state.last, isFirst)
        }
        if isFirst { look(at: end) }
        return number
    }

    /// Removes a function; false when it was called, or is about to be.
    func remove(_ number: Int) -> Bool { state.withLock { $0.functions.removeValue(forKey: number) != nil } }

    private func look(at end: ContinuousClock.Instant) {
        Task {
            try? await Task.sleep(until: end)
            let (due, next) = state.withLock { state in
                let due = state.functions.filter { $0.value.end <= end }
                for number in due.keys { state.functions[number] = nil }
                // An earlier look may have been added meanwhile, which adds the next one.
                let isLatest = state.nextLook == end
                if isLatest { state.nextLook = state.functions.values.map(\.end).min() }
                return (due, isLatest ? state.nextLook : nil)
            }
            for function in due.values { function.call() }
            if let next { look(at: next) }
        }
    }
}
