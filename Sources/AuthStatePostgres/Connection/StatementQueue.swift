import AuthStateJOSE
import AuthStateStorage
import AuthStateSystem

/// Statements that wait to share a transaction: those that come while others are executed share the next one.
///
/// A lane is a transaction and those that follow it. There are few lanes, so that much is shared, and one more each time that a
/// statement waits for long: where another client has locked a row, that holds up one lane.
final class StatementQueue: Sendable {
    /// A statement, and the task that waits for its rows.
    struct Waiter: Sendable {
        let statement: Statement
        fileprivate let ticket: UInt64
        let patience: Deadline
        let continuation: CheckedContinuation<[Row], any Error>
    }

    private struct State {
        var waiters: [Waiter] = []
        var lanes = 0
        var lastTicket: UInt64 = 0
        /// Whether a task looks after those that wait.
        var isWatched = false
    }

    /// The lanes that do not wait for a slow one.
    private static let usualLanes = 2
    /// The most of one transaction. It is sent at once, so that a client that is stopped meanwhile leaves no part of it at the server,
    /// with locked rows.
    private static let (mostStatements, mostBytes) = (16, 1 << 15)
    /// The time after which a statement that still waits gets another lane.
    private static let longWait = Duration.milliseconds(300)

    private let state = Lock(State())
    private let maximumLanes: Int
    private let clock: any Clock<Duration>

    init(maximumLanes: Int, clock: any Clock<Duration>) { (self.maximumLanes, self.clock) = (maximumLanes, clock) }

    /// Begins a lane for a statement that need not wait; false when it has to.
    func beginLane() -> Bool { beginLane(of: min(Self.usualLanes, maximumLanes)) }

    private func beginLane(of most: Int) -> Bool {
        state.withLock { state in
            guard state.lanes < most else { return false }
            state.lanes += 1
            return true
        }
    }

    /// Takes the statements of a lane's next transaction, in the order of their rows, so that two clients never wait for each
    /// other; ends the lane when none waits.
    func next() -> [Waiter] {
        state.withLock { state in
            var bytes = 0
            let group = state.waiters.prefix(Self.mostStatements).prefix { waiter in
                defer { bytes += waiter.statement.size }
                return bytes == 0 || bytes + waiter.statement.size <= Self.mostBytes
            }
            state.waiters.removeFirst(group.count)
            if group.isEmpty { state.lanes -= 1 }
            return group.sorted { one, other in
                let (row, otherRow) = (one.statement.row?.bytes ?? [], other.statement.row?.bytes ?? [])
                return row == otherRow ? one.ticket < other.ticket : row.lexicographicallyPrecedes(otherRow)
            }
        }
    }

    /// Waits until a lane has executed a statement.
    ///
    /// - Parameter runLane: Called when a lane begins; takes from `next` until there is nothing.
    /// - Throws: The lane's error; `PostgresFailure` with `.busy` at the end of `patience`; `CancellationError` unless a lane has the
    ///   statement.
    func rows(
        of statement: Statement, until patience: Deadline, runLane: @escaping @Sendable () async -> Void
    ) async throws -> [Row] {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isCancelled, isUnwatched) = state.withLock { state in
                    // A cancellation before this point found no waiter; a later one waits for the lock, then finds this waiter.
                    if Task.isCancelled { return (true, false) }
                    state.waiters.append(
                        Waiter(statement: statement, ticket: ticket, patience: patience, continuation: continuation))
                    defer { state.isWatched = true }
                    return (false, !state.isWatched)
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                // The last lane may have ended before the statement came.
                if beginLane() { Task { await runLane() } }
                if isUnwatched { watch(runLane) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Looks after those that wait, until none does.
    private func watch(_ runLane: @escaping @Sendable () async -> Void) {
        Task { [weak self, clock] in
            var last: UInt64?
            repeat {
                try? await clock.sleep(for: Self.longWait, tolerance: nil)
                guard let self, let next = look(last, runLane) else { return }
                last = next
            } while true
        }
    }

    /// Refuses those that have waited too long, and begins a lane for one that waits since the last look.
    ///
    /// - Parameter last: The last that had come at the look before.
    /// - Returns: The last that has come; nil when none waits.
    private func look(_ last: UInt64?, _ runLane: @escaping @Sendable () async -> Void) -> UInt64? {
        let (late, isLong, next) = state.withLock { state in
            var late: [Waiter] = []
            state.waiters.removeAll { waiter in
                guard waiter.patience.remaining <= .zero else { return false }
                late.append(waiter)
                return true
            }
            state.isWatched = !state.waiters.isEmpty
            let isLong = state.waiters.first.map { $0.ticket <= last ?? 0 } ?? false
            return (late, isLong, state.isWatched ? state.lastTicket : nil)
        }
        for waiter in late { waiter.continuation.resume(throwing: PostgresFailure.allInUse) }
        if isLong, beginLane(of: maximumLanes) { Task { await runLane() } }
        return next
    }
}

extension [StatementQueue.Waiter] {
    /// The shortest of their times to wait.
    var patience: Deadline {
        self.dropFirst().reduce(self[0].patience) { $1.patience.remaining < $0.remaining ? $1.patience : $0 }
    }
}

extension Statement {
    /// The bytes of its parameters.
    fileprivate var size: Int {
        parameters.reduce(0) { sum, parameter in
            switch parameter {
            case .bytes(let bytes): sum + bytes.count
            case .text(let text): sum + text.utf8.count
            }
        }
    }
}
