import AuthStateFoundation
import AuthStateLibc
import CAuthStatePostgres

/// Opens connections to the server of a connection string, and finds out why the server refuses one.
struct ConnectionAttempt {
    private let settings: [String: String]
    private let string: ConnectionString

    init(_ string: ConnectionString, defaults: [String: String]) {
        self.string = string
        settings = defaults.merging(string.settings) { $1 }
    }

    /// Connects; libpq may take `connect_timeout` for each address.
    ///
    /// libpq gives the reason of a refusal in words only. So a server that refuses is asked once more, for the code of its
    /// reason; a server that gives none may have been starting, and have ended that before the ping.
    func open() throws(PostgresFailure) -> OpaquePointer {
        let refusal: PostgresFailure
        do { return try connect() } catch {
            guard error.cause == .refused else { throw error }
            refusal = error
        }
        let answer = askForReason()
        if case .refused(let state) = answer {
            throw PostgresFailure(cause: .refused, message: refusal.message, state: state)
        }
        do { return try connect() } catch {
            guard error.cause == .refused else { throw error }
            switch answer {
            // Without a wish about the server's role, another client took the place that the question gave back.
            case .accepted:
                throw PostgresFailure(cause: wantsRole ? .notWanted : .unreachable, message: error.message)
            // Too slow to say why it refuses, which a wrong password is not.
            case .late: throw PostgresFailure(cause: .unreachable, message: error.message)
            case .none, .refused: throw error
            }
        }
    }

    /// Whether the connection string, or the environment, wants a primary, a standby, or a server that takes changes.
    private var wantsRole: Bool {
        let wish = settings["target_session_attrs"] ?? ProcessInfo.processInfo.environment["PGTARGETSESSIONATTRS"]
        return ![nil, "", "any"].contains(wish)
    }

    private func connect() throws(PostgresFailure) -> OpaquePointer {
        let end = ContinuousClock.now + .seconds(1)
        let handle = Self.withArrays(settings) { AuthStatePQconnectdbParams($0, $1, 0) }
        if let handle, Int(AuthStatePQstatus(handle)) == AuthStatePQ_CONNECTION_OK,
            AuthStatePQsetnonblocking(handle, 1) == 0
        {
            return handle
        }
        let message = handle.map { String(cString: AuthStatePQerrorMessage($0)) } ?? "out of memory"
        AuthStatePQfinish(handle)
        // A ping tells a server that refuses from one that is away. Refusals come at once: a slow server is away, and is not
        // waited for again.
        let isThere =
            ContinuousClock.now < end
            && Self.withArrays(settings) { Int(AuthStatePQpingParams($0, $1, 0)) } == AuthStatePQ_PQPING_OK
        throw PostgresFailure(cause: isThere ? .refused : .unreachable, message: string.redacting(message))
    }

    private enum Answer {
        /// The server accepts a connection from which nothing but reading is wanted.
        case accepted
        /// The server refuses, with this SQLSTATE.
        case refused(String)
        /// The server refuses without a code, or libpq does.
        case none
        /// Neither within a second.
        case late
    }

    /// Connects as `connect` does, with libpq told to report codes instead of words, and closes the connection.
    private func askForReason() -> Answer {
        let end = ContinuousClock.now + .seconds(1)
        let modest = settings.merging(["target_session_attrs": "any"]) { $1 }
        guard let handle = Self.withArrays(modest, { AuthStatePQconnectStartParams($0, $1, 0) }) else { return .none }
        defer { AuthStatePQfinish(handle) }
        _ = AuthStatePQsetErrorVerbosity(handle, UInt32(AuthStatePQ_PQERRORS_SQLSTATE))
        // libpq wants the first wait to be for writing.
        var events = POLLOUT
        while true {
            let left = ContinuousClock.now.duration(to: end)
            let socket = AuthStatePQsocket(handle)
            guard left > .zero else { return .late }
            guard socket >= 0 else { return .none }
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            guard poll(&descriptor, 1, Int32(left / .milliseconds(1) + 1)) > 0 else { continue }
            switch Int(AuthStatePQconnectPoll(handle)) {
            case AuthStatePQ_PGRES_POLLING_OK: return .accepted
            case AuthStatePQ_PGRES_POLLING_READING: events = POLLIN
            case AuthStatePQ_PGRES_POLLING_WRITING: events = POLLOUT
            default:
                let message = String(cString: AuthStatePQerrorMessage(handle))
                return Self.state(in: message).map(Answer.refused) ?? .none
            }
        }
    }

    /// The code at the end of a message such as `connection to server at … failed: FATAL:  53300`.
    private static func state(in message: String) -> String? {
        guard let last = message.split(whereSeparator: { $0.isWhitespace }).last, last.utf8.count == 5,
            last.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) })
        else { return nil }
        return String(last)
    }

    /// Calls libpq with settings as two arrays that end with NULL.
    private static func withArrays<R>(
        _ settings: [String: String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        let keywords = settings.keys.map { strdup($0) } + [nil]
        let values = settings.values.map { strdup($0) } + [nil]
        defer { for text in keywords + values { free(text) } }
        return body(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) })
    }
}
