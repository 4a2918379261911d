/// One place in the pool: connects when it is first used, and again after its connection broke.
///
/// An actor on a dispatch queue of its own, because libpq blocks.
actor Connection {
    let executor = QueueExecutor(label: "AuthStatePostgres.Connection")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let settings: ConnectionSettings
    private var session: Session?

    init(_ settings: ConnectionSettings) { self.settings = settings }

    /// Runs statements, which share a transaction. A cancellation does not interrupt them, their timeout does.
    ///
    /// - Parameter deliver: Called when the transaction has committed; what is sent along may fail after it.
    func execute(
        _ statements: [Statement], delivering deliver: @Sendable ([[Row]]) -> Void = { _ in }
    ) throws(PostgresFailure) -> [[Row]] {
        let session = try openSession()
        do {
            // Each of several may wait for a row by itself.
            let limit = settings.statementTimeout + .seconds(1) + .milliseconds(250) * (statements.count - 1)
            return try session.execute(statements, within: limit, delivering: deliver)
        } catch {
            if error.breaksConnection { self.session = nil }
            throw error
        }
    }

    /// The notifications since the last call, if there is a session.
    func notifications() throws(PostgresFailure) -> [String] { try session?.notifications() ?? [] }

    func openSession() throws(PostgresFailure) -> Session {
        if let session { return session }
        let session = try Session(settings.string, defaults: settings.defaults)
        _ = try session.execute([settings.preparation], within: settings.statementTimeout)
        self.session = session
        return session
    }
}

/// How connections are made.
struct ConnectionSettings: Sendable {
    let string: ConnectionString
    let connectTimeout: Duration
    let statementTimeout: Duration

    /// The settings that apply unless the connection string says otherwise.
    var defaults: [String: String] {
        [
            // libpq counts in whole seconds, and treats a smaller number as two.
            "connect_timeout": "\(max(2, Int(connectTimeout / .seconds(1))))",
            "tcp_user_timeout": "\(Int(statementTimeout / .milliseconds(1)))",
            "fallback_application_name": "AuthStateKit",
            "client_encoding": "UTF8",
        ]
    }

    /// The statement that every connection begins with.
    ///
    /// A commit is durable when the server confirms it: where the server's default is not to wait for its disk, this
    /// session does; a stronger default stays. No statement runs longer than its client waits. A client that is cut off in the middle of
    /// a transaction is noticed within seconds, not hours.
    var preparation: Statement {
        Statement(
            .reading,
            """
            SELECT set_config('statement_timeout', $1, false) || set_config('tcp_keepalives_idle', '5', false)
                || set_config('tcp_keepalives_interval', '5', false) || set_config('tcp_keepalives_count', '2', false),
            CASE current_setting('synchronous_commit')
            WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END
            """,
            .text("\(Int(statementTimeout / .milliseconds(1)))"), columns: 2)
    }
}
