public import AuthStateFoundation
import AuthStateOAuth
public import AuthStateStorage
import AuthStateSystem

/// Keeps states in a table of a PostgreSQL database, for several processes and machines that share them.
///
/// A lease is a name and a time in the state's row: acquired by one statement, extended while the transaction runs,
/// free again at its time by the database's own clock when its holder crashed. No connection is held during a request
/// to the provider. Every change compares versions, so that a holder that lost its lease overwrites nothing newer.
///
/// The table has to be there (`createSchema()`, `checkSchema()`). The archives hold tokens: seal them with
/// `SealedAuthStateStore` where others can read the table, its backups or the server's log. libpq protects the
/// connection: `sslmode=verify-full` in the connection string.
public final class PostgresAuthStateStore: AuthStateStore {
    let pool: ConnectionPool
    let settings: ConnectionSettings
    let hub = ChangeHub()
    let clock: any Clock<Duration>
    private let configuration: Configuration
    /// In one process tasks queue up here in order, so that one at a time asks the database for the lease.
    private let line = WaitingLine<KeyHash>()

    /// Makes a store; it connects when it is first used.
    ///
    /// - Parameters:
    ///   - connectionString: In libpq's form, `host=… dbname=… user=…` or `postgresql://…`; omitted settings come from
    ///     `PGHOST` and the like. With PgBouncer, pool by session.
    ///   - configuration: Times and limits.
    ///   - clock: The clock for pauses and for the deadlines of leases.
    /// - Throws: `AuthStateError` with `.libraryUnavailable` when libpq is not installed, `.invalidArgument` when the string
    ///   cannot be parsed.
    public init(
        connectionString: String, configuration: Configuration = Configuration(),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        settings = ConnectionSettings(
            string: try ConnectionString(connectionString), connectTimeout: configuration.connectTimeout,
            statementTimeout: configuration.statementTimeout)
        pool = ConnectionPool(settings, maximumConnections: configuration.maximumConnections, clock: clock)
        (self.configuration, self.clock) = (configuration, clock)
    }

    /// Reads a state without a lease; nil when there is none under the key.
    ///
    /// Does not wait for a database that is away where a state checks for changes: it has tokens already. The first reading of one
    /// waits for `outageTolerance`.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable`; `CancellationError` when cancelled while waiting.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let statement = LeaseStatements.load(try KeyHash(key))
        let tolerance = StoreReading.isFirst ? configuration.outageTolerance : .zero
        return try await pool.execute(statement, tryingFor: tolerance).first.flatMap { try StoredAuthState($0) }
    }

    /// Lists the states that were saved last before a moment, by the database's clock; entries have the keys' digests.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable`.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        let statement = LeaseStatements.entries(savedBefore: date.timeIntervalSince1970)
        return try await pool.execute(statement, tryingFor: settings.connectTimeout).compactMap { row in
            guard let seconds = Double(row.text(1)) else { return nil }
            return AuthStateEntry(
                key: AuthStateKey(digest: row.text(0)), savedAt: Date(timeIntervalSince1970: seconds),
                version: StoredAuthState.Version(rawValue: row.text(2)))
        }
    }

    /// Runs a transaction while no other caller holds the key, in this process or another, here or on another machine.
    ///
    /// Within a process waiters take turns in order of arrival; among processes there is no order. While another process has the
    /// lease, `look` is called whenever `run()` hears of a change; a result ends the wait. A database that does not answer adds its own timeouts to the deadline. A save that the body
    /// began is finished even when its task is cancelled.
    ///
    /// - Throws: `AuthStateError` with `.storeLocked` at the deadline, `.storeUnwritable` when the database cannot be
    ///   reached or written to; `CancellationError` when cancelled while waiting; the errors of the body.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let deadline = Deadline(after: deadline, on: clock)
        let name = try KeyHash(key)
        try await line.enter(name, until: deadline, orThrow: AuthStateError.storeLocked(name))
        defer { line.leave(name) }
        let claim = LeaseClaim(name, pool, configuration, clock: clock)
        let acquisition = try await claim.acquire(
            until: deadline, orThrow: .storeLocked(name), hearing: hub, whileWaiting: look)
        let found: Row
        switch acquisition {
        case .lease(let row): found = row
        case .instead(let result): return result
        }
        let lease = PostgresLease(claim, found: found)
        // A child of this call: it ends with the body, at the latest when this function returns.
        async let _ = claim.keepAlive()
        do {
            let result = try await body(lease)
            await lease.end()
            return result
        } catch {
            await lease.end()
            throw error
        }
    }
}

extension PostgresAuthStateStore: CustomReflectable {
    /// Host and database, never user or password.
    public var customMirror: Mirror { Mirror(self, children: ["connection": settings.string.description]) }
}
