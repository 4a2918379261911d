import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// A few connections, lent for one transaction each: no caller holds one while it does other work.
final class ConnectionPool: Sendable {
    private enum Place: Sendable { case connection }
    /// Another statement of the transaction may be the cause: each is executed by itself now.
    private struct SharedFailure: Error {}

    private let settings: ConnectionSettings
    private let clock: any Clock<Duration>
    private let line: WaitingLine<Place>
    private let queue: StatementQueue
    private let idle = Lock<[Connection]>([])

    init(_ settings: ConnectionSettings, maximumConnections: Int, clock: any Clock<Duration>) {
        (self.settings, self.clock) = (settings, clock)
        let maximumConnections = max(1, maximumConnections)
        line = WaitingLine(capacity: maximumConnections)
        queue = StatementQueue(maximumLanes: maximumConnections, clock: clock)
    }

    /// Runs a statement that may be run twice, and tries again while the database cannot be reached.
    ///
    /// A connection that turns out to be broken is replaced at once: the server was restarted since it was last used.
    ///
    /// - Parameter tolerance: How long to try; zero still replaces a broken connection.
    /// - Throws: `AuthStateError`, or `CancellationError` while waiting.
    func execute(_ statement: Statement, tryingFor tolerance: Duration) async throws -> [Row] {
        let deadline = Deadline(after: tolerance, on: clock)
        var backoff = Backoff(first: 0.05, longest: 0.5)
        var isReplaced = false
        var patience = Deadline(after: patience, on: clock)
        var mayShare = statement.row != nil && Session.hasPipelines
        while true {
            do {
                return mayShare
                    ? try await share(statement, until: patience) : try await execute([statement], until: patience)[0]
            } catch is SharedFailure {
                // What is left of the time to wait is all that it has: a holder extends its lease in time.
                mayShare = false
            } catch let failure as PostgresFailure {
                mayShare = mayShare && failure.isWithoutConnection
                patience = Deadline(after: self.patience, on: clock)
                if failure.cause == .connectionLost, !isReplaced {
                    isReplaced = true
                } else if failure.mayPass, deadline.remaining > .zero {
                    try await deadline.sleep(atMost: backoff.next())
                } else {
                    throw failure.error(statement.purpose)
                }
            }
        }
    }

    /// How long a statement waits for a connection.
    private var patience: Duration { settings.connectTimeout + settings.statementTimeout }

    /// Runs a statement: at once by itself, or in one transaction with others that wait meanwhile.
    ///
    /// - Throws: `PostgresFailure`, `SharedFailure`, or `CancellationError` while waiting.
    private func share(_ statement: Statement, until patience: Deadline) async throws -> [Row] {
        guard queue.beginLane() else {
            return try await queue.rows(of: statement, until: patience) { [self] in await runLane(queue.next()) }
        }
        defer {
            let next = queue.next()
            if !next.isEmpty { Task { await runLane(next) } }
        }
        return try await execute([statement], until: patience)[0]
    }

    /// Executes what waits, transaction by transaction, until nothing does.
    private func runLane(_ first: [StatementQueue.Waiter]) async {
        var group = first
        while !group.isEmpty {
            let waiters = group
            do {
                _ = try await execute(group.map(\.statement), until: group.patience) { rows in
                    for (waiter, rows) in zip(waiters, rows) { waiter.continuation.resume(returning: rows) }
                }
            } catch {
                let failure = error as? PostgresFailure
                for waiter in group {
                    // The time of one has ended: the others go on with theirs.
                    let isLate = failure?.cause == .busy && waiter.patience.remaining > .zero
                    let isOwn = group.count == 1 || failure?.isWithoutConnection == true && !isLate
                    waiter.continuation.resume(throwing: isOwn ? error : SharedFailure())
                }
            }
            group = queue.next()
        }
    }

    /// Runs the statements of one transaction once; fails only when it has not committed, as far as is known.
    ///
    /// - Throws: `PostgresFailure`, or `CancellationError` while waiting.
    private func execute(
        _ statements: [Statement], until patience: Deadline, delivering deliver: @Sendable ([[Row]]) -> Void = { _ in }
    ) async throws -> [[Row]] {
        try await line.enter(.connection, until: patience, orThrow: PostgresFailure.allInUse)
        defer { line.leave(.connection) }
        let connection = idle.withLock { $0.popLast() } ?? Connection(settings)
        let delivered = Lock<[[Row]]?>(nil)
        do {
            let rows = try await connection.execute(statements) { rows in
                delivered.withLock { $0 = rows }
                deliver(rows)
            }
            idle.withLock { $0.append(connection) }
            return rows
        } catch {
            idle.withLock {
                if error.breaksOthers { $0 = [] }
                if !error.breaksConnection { $0.append(connection) }
            }
            guard let rows = delivered.withLock({ $0 }) else { throw error }
            // What was sent along is refused as a whole, or lost with the connection: it is sent again by itself.
            for statement in statements.flatMap(\.afterwards) {
                Task { try await execute(statement, tryingFor: settings.statementTimeout) }
            }
            return rows
        }
    }
}
