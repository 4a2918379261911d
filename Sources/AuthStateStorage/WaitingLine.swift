import AuthStateJOSE
package import AuthStateSystem

/// Lets a limited number of tasks at a time hold a name; the others wait in order of arrival.
///
/// A waiter leaves the line exactly once: with the name, at its deadline, or when its task is cancelled. None of these
/// delays or disturbs the others.
package final class WaitingLine<Name: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let ticket: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Line {
        var holders = 0
        var waiters: [Waiter] = []
    }

    private struct State {
        var lastTicket: UInt64 = 0
        /// A name without a holder has no entry.
        var lines: [Name: Line] = [:]

        mutating func tryEnter(_ name: Name, _ capacity: Int) -> Bool {
            guard lines[name, default: Line()].holders < capacity else { return false }
            lines[name, default: Line()].holders += 1
            return true
        }

        /// Passes the place to the next waiter, or frees it.
        mutating func leave(_ name: Name) -> Waiter? {
            guard var line = lines[name] else { return nil }
            let next = line.waiters.isEmpty ? nil : line.waiters.removeFirst()
            if next == nil { line.holders -= 1 }
            lines[name] = line.holders == 0 ? nil : line
            return next
        }
    }

    private let capacity: Int
    private let state = Lock(State())

    /// Makes a line.
    ///
    /// - Parameter capacity: The number of tasks that may hold the same name at a time.
    package init(capacity: Int = 1) { self.capacity = capacity }

    /// Acquires the name, waiting for it until the deadline; the holder releases it with `leave`.
    ///
    /// - Throws: `expiry` at the deadline; `CancellationError`.
    package func enter(
        _ name: Name, until deadline: Deadline, orThrow expiry: @escaping @autoclosure @Sendable () -> any Error
    ) async throws {
        try Task.checkCancellation()
        if state.withLock({ $0.tryEnter(name, capacity) }) { return }
        guard deadline.remaining > .zero else { throw expiry() }
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(Waiter(ticket: ticket, continuation: continuation), for: name)
                timer = Task {
                    try await deadline.sleep()
                    self.giveUp(name, ticket, with: expiry())
                }
            }
        } onCancel: {
            giveUp(name, ticket, with: CancellationError())
        }
    }

    /// Releases the name, to the task that waited longest.
    package func leave(_ name: Name) {
        let next = state.withLock { $0.leave(name) }
        next?.continuation.resume()
    }

    /// The number of tasks that wait for the name.
    package func waiterCount(_ name: Name) -> Int { state.withLock { $0.lines[name]?.waiters.count ?? 0 } }

    private func enqueue(_ waiter: Waiter, for name: Name) {
        let result: Result<Void, any Error>? = state.withLock { state in
            // A cancellation before this point found no waiter; a later one waits for the lock, then finds this waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.tryEnter(name, capacity) { return .success(()) }
            state.lines[name]?.waiters.append(waiter)
            return nil
        }
        if let result { waiter.continuation.resume(with: result) }
    }

    private func giveUp(_ name: Name, _ ticket: UInt64, with error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.lines[name]?.waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.lines[name]?.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }
}
