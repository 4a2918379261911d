import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// A few connections, lent for one statement each: no caller holds one while it does other work.
final class ConnectionPool: Sendable {
    private enum Place: Sendable { case connection }

    private let settings: ConnectionSettings
    private let clock: any Clock<Duration>
    private let line: WaitingLine<Place>
    private let idle = Lock<[Connection]>([])

    init(_ settings: ConnectionSettings, maximumConnections: Int, clock: any Clock<Duration>) {
        (self.settings, self.clock) = (settings, clock)
        line = WaitingLine(capacity: max(1, maximumConnections))
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
        while true {
            do { return try await execute(statement) } catch let failure as PostgresFailure {
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

    /// Runs a statement once.
    ///
    /// - Throws: `PostgresFailure`, or `CancellationError` while waiting.
    private func execute(_ statement: Statement) async throws -> [Row] {
        let patience = Deadline(after: settings.connectTimeout + settings.statementTimeout, on: clock)
        let busy = PostgresFailure(cause: .busy, message: "all connections of this program are in use")
        try await line.enter(.connection, until: patience, orThrow: busy)
        defer { line.leave(.connection) }
        let connection = idle.withLock { $0.popLast() } ?? Connection(settings)
        do {
            let rows = try await connection.execute(statement)
            idle.withLock { $0.append(connection) }
            return rows
        } catch {
            idle.withLock {
                if error.breaksOthers { $0 = [] }
                if !error.breaksConnection { $0.append(connection) }
            }
            throw error
        }
    }
}
