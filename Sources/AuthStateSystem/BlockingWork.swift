import AuthStateJOSE
package import AuthStateOAuth
import Dispatch

/// Runs calls that block, away from the threads that run tasks, and gives up waiting for those that hang.
///
/// The task pool has as many threads as the machine has cores. An fsync takes a fraction of a millisecond and would be
/// bearable there, but a network file system that hangs holds its thread for minutes, and two of those stop every task of
/// a small machine. Here a call that hangs keeps one of eight threads, which exist only while there is work.
///
/// It is deliberately deaf to cancellation: a save, once begun, is finished and its caller told. When its time
/// is over the caller is told that there is no answer; a call that has begun by then goes on, one that has not is dropped.
package final class BlockingWork: Sendable {
    private struct State {
        var waiting: [BlockingCall] = []
        var running: [ObjectIdentifier: BlockingCall] = [:]
        var isPatrolled = false
    }

    private static let threads = 8

    private let label: String
    private let clock: any Clock<Duration>
    private let state = Lock(State())

    /// Makes the executor; the clock measures the time of each call.
    package init(label: String, clock: any Clock<Duration>) {
        self.label = label
        self.clock = clock
    }

    /// Runs a call; throws the call's error, or `expiry` soon after its time is over.
    package nonisolated(nonsending) func run<R: Sendable>(
        within limit: Duration, orThrow expiry: @escaping @autoclosure @Sendable () -> AuthStateError,
        _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        // Handed over under a lock: what a continuation hands over is not seen by ThreadSanitizer each time.
        let answer = Lock<Result<R, any Error>?>(nil)
        await withCheckedContinuation { continuation in
            start(within: limit, orThrow: expiry(), body) { result in
                answer.withLock { $0 = result }
                continuation.resume()
            }
        }
        guard let result = answer.withLock({ $0 }) else { throw expiry() }
        return try result.get()
    }

    /// Starts a call as `run` does; the thread that ends it, or that finds its time over, calls `finish` with the result.
    package func start<R: Sendable>(
        within limit: Duration, orThrow expiry: @escaping @autoclosure @Sendable () -> AuthStateError,
        _ body: @escaping @Sendable () throws -> R, then finish: @escaping @Sendable (Result<R, any Error>) -> Void
    ) {
        start(
            BlockingCall(until: Deadline(after: limit, on: clock), isDroppable: true) { call in
                let result = Result(catching: body)
                if call.takeWaiter() { finish(result) }
            } onExpiry: {
                finish(.failure(expiry()))
            })
    }

    /// Runs a call that is never dropped, and waits for its end, but not longer than this.
    package nonisolated(nonsending) func complete(within limit: Duration, _ body: @escaping @Sendable () -> Void) async
    {
        await withCheckedContinuation { continuation in
            start(
                BlockingCall(until: Deadline(after: limit, on: clock), isDroppable: false) { call in
                    body()
                    if call.takeWaiter() { continuation.resume() }
                } onExpiry: {
                    continuation.resume()
                })
        }
    }

    private func start(_ call: BlockingCall) {
        let (hasThread, needsPatrol) = state.withLock { state in
            let hasThread = state.running.count < Self.threads
            if hasThread { state.running[ObjectIdentifier(call)] = call } else { state.waiting.append(call) }
            defer { state.isPatrolled = true }
            return (hasThread, !state.isPatrolled)
        }
        if hasThread { runOnThread(call) }
        if needsPatrol { patrol() }
    }

    /// Runs calls on a serial queue, with a thread of its own; a concurrent one would take a thread from the tasks.
    private func runOnThread(_ first: BlockingCall) {
        DispatchQueue(label: label).async {
            var next: BlockingCall? = first
            while let call = next {
                call.run()
                next = self.next(after: call)
            }
        }
    }

    private func next(after call: BlockingCall) -> BlockingCall? {
        state.withLock { state in
            state.running[ObjectIdentifier(call)] = nil
            guard !state.waiting.isEmpty else { return nil }
            let next = state.waiting.removeFirst()
            state.running[ObjectIdentifier(next)] = next
            return next
        }
    }

    /// Looks ten times a second for calls whose time is over: a timer for each would cost more than most calls do.
    private func patrol() {
        Task {
            repeat { try await Task.sleep(for: .milliseconds(100)) } while giveUpOverdue()
        }
    }

    private func giveUpOverdue() -> Bool {
        let calls = state.withLock { $0.waiting + $0.running.values }
        for call in calls { call.giveUpIfOverdue() }
        return state.withLock { state in
            state.waiting.removeAll { $0.isDropped }
            state.isPatrolled = !state.waiting.isEmpty || !state.running.isEmpty
            return state.isPatrolled
        }
    }
}

/// A call, and the task that waits for its end or its deadline, whichever comes first.
private final class BlockingCall: Sendable {
    private let deadline: Deadline
    private let isDroppable: Bool
    private let body: @Sendable (BlockingCall) -> Void
    private let onExpiry: @Sendable () -> Void
    private let hasWaiter = Lock(true)

    init(
        until deadline: Deadline, isDroppable: Bool, _ body: @escaping @Sendable (BlockingCall) -> Void,
        onExpiry: @escaping @Sendable () -> Void
    ) {
        self.deadline = deadline
        self.isDroppable = isDroppable
        self.body = body
        self.onExpiry = onExpiry
    }

    var isDropped: Bool { isDroppable && hasWaiter.withLock { !$0 } }

    func run() { if !isDropped { body(self) } }

    func giveUpIfOverdue() { if deadline.remaining <= .zero, takeWaiter() { onExpiry() } }

    /// Returns true to the first caller, which then has to resume the waiter.
    func takeWaiter() -> Bool {
        hasWaiter.withLock { hasWaiter in
            defer { hasWaiter = false }
            return hasWaiter
        }
    }
}
