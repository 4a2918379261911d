import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// Lets one task at a time hold a name; the others wait in the order in which they came.
///
/// A waiter leaves the queue exactly once: with the name, at its deadline, or when its task is cancelled. None of these
/// delays or disturbs the others.
final class LeaseQueue: Sendable {
    private struct Waiter {
        let ticket: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastTicket: UInt64 = 0
        /// A name that is held has an entry, if only an empty one.
        var waiters: [String: [Waiter]] = [:]
    }

    private let state = Lock(State())

    /// Acquires the name, waiting for it until the deadline; the holder frees it with `release`.
    ///
    /// - Throws: `expiry` at the deadline; `CancellationError`.
    func acquire(_ name: String, until deadline: Deadline, orThrow expiry: AuthStateError) async throws {
        try Task.checkCancellation()
        if tryAcquire(name) { return }
        guard deadline.remaining > .zero else { throw expiry }
        let ticket = nextTicket()
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(Waiter(ticket: ticket, continuation: continuation), for: name)
                timer = Task {
                    try await deadline.sleep()
                    self.leave(name, ticket, with: expiry)
                }
            }
        } onCancel: {
            leave(name, ticket, with: CancellationError())
        }
    }

    /// Hands the name to the task that has waited longest.
    func release(_ name: String) {
        let next = state.withLock { state -> Waiter? in
            guard state.waiters[name]?.isEmpty == false else {
                state.waiters[name] = nil
                return nil
            }
            return state.waiters[name]?.removeFirst()
        }
        next?.continuation.resume()
    }

    /// Returns the number of waiters for the name.
    func waiterCount(_ name: String) -> Int { state.withLock { $0.waiters[name]?.count ?? 0 } }

    private func nextTicket() -> UInt64 {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    private func tryAcquire(_ name: String) -> Bool {
        state.withLock { state in
            guard state.waiters[name] == nil else { return false }
            state.waiters[name] = []
            return true
        }
    }

    private func enqueue(_ waiter: Waiter, for name: String) {
        enum Outcome { case waiting, granted, cancelled }
        let outcome = state.withLock { state -> Outcome in
            // A cancellation before this point found no entry; one after it waits for the lock, then finds the entry.
            if Task.isCancelled { return .cancelled }
            if state.waiters[name] == nil {
                state.waiters[name] = []
                return .granted
            }
            state.waiters[name]?.append(waiter)
            return .waiting
        }
        switch outcome {
        case .waiting: break
        case .granted: waiter.continuation.resume()
        case .cancelled: waiter.continuation.resume(throwing: CancellationError())
        }
    }

    private func leave(_ name: String, _ ticket: UInt64, with error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters[name]?.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiters[name]?.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }
}
