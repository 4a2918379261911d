import AuthStateOAuth
import AuthStateStorage

/// A failure between this process and the database.
struct PostgresFailure: Error {
    enum Cause: Sendable {
        /// No server answers, or the server is starting or ending.
        case unreachable
        /// The server answers, and refuses this connection: for its user, password or database, or for a state that passes.
        case refused
        /// The server would accept the connection, but is not as `target_session_attrs` wants it.
        case notWanted
        /// The connection broke: a statement in progress may have been executed or not.
        case connectionLost
        /// No answer in time; the same uncertainty.
        case timedOut
        /// All connections of this process are in use.
        case busy
        /// The server executed nothing and says why.
        case statement
    }

    var cause: Cause
    /// The server's text, without any secret.
    var message: String
    /// SQLSTATE, five characters (PostgreSQL, appendix A).
    var state = ""

    /// All connections are in use.
    static var allInUse: Self { Self(cause: .busy, message: "all connections of this program are in use") }

    /// Whether the connection is unusable after it: also one to a server that may only read, beside which a new one finds the
    /// primary.
    var breaksConnection: Bool { cause != .statement || state == Self.readOnly }

    /// Whether there was no connection to send a statement on, which is no statement's fault.
    var isWithoutConnection: Bool { [.unreachable, .refused, .notWanted, .busy].contains(cause) }

    /// Whether the cause broke the other connections too, as a restart does; a new connection that is refused says nothing of them.
    var breaksOthers: Bool { cause == .connectionLost || cause == .timedOut }

    /// Whether it may pass by itself within seconds: a restart, a failover, a moment of overload.
    var mayPass: Bool {
        switch cause {
        case .unreachable, .notWanted, .connectionLost, .timedOut, .busy: true
        // The connection, as a pooler says while it has none itself; transaction rollback, resources, intervention, system; and a
        // server that is still a standby.
        case .refused, .statement:
            ["08", "40", "53", "57", "58"].contains(state.prefix(2)) || state == Self.readOnly
        }
    }

    private static let readOnly = "25006"
}

extension PostgresFailure {
    /// A server's error for a statement; when the server says that it shuts down, the connection is as good as broken.
    init(message: String, state: String) {
        let isEnd = state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state)
        self.init(cause: isEnd ? .connectionLost : .statement, message: message, state: state)
    }

    /// The failure as users of the store see it.
    func error(_ purpose: Statement.Purpose) -> AuthStateError {
        AuthStateError(
            purpose == .reading ? .storeUnreadable : .storeUnwritable, stage: .store,
            "The state cannot be \(purpose == .reading ? "read from" : "written to") PostgreSQL: \(message.sentence)",
            received: state.isEmpty ? nil : "SQLSTATE \(state)", hint: hint)
    }

    private var hint: String {
        switch cause {
        case .unreachable: "Check that the database is running, and the connection string's host and port."
        case .refused: Self.hints[state] ?? "Check the connection string: user, password, database name, sslmode."
        case .notWanted: "The server is not what target_session_attrs wants: name the primary, or wait."
        case .connectionLost, .timedOut: "Try again; if it stays so, look at the database's load and log."
        case .busy: "Allow more connections (maximumConnections), or look at what slows the database down."
        case .statement: Self.hints[state] ?? "Look at the database's log."
        }
    }

    private static let hints = [
        "42P01": PostgresAuthStateStore.schemaHint,
        "42703": PostgresAuthStateStore.schemaHint,
        "42501": "Allow it: GRANT SELECT, INSERT, UPDATE, DELETE ON auth_states TO this role.",
        Self.readOnly: "This server is a standby or read-only: name the primary (target_session_attrs=read-write).",
        "53100": "The database's disk is full: free some space.",
        "53300": "Allow the database more connections, or this program fewer.",
        "57014": "The statement took too long: look at the database's load and locks.",
    ]
}

extension String {
    /// One line that ends with a full stop.
    fileprivate var sentence: String {
        let line = split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.joined(separator: " ")
        return line.last.map { ".?!".contains($0) } == true ? line : line + "."
    }
}
