import AuthStateLibc
import CAuthStatePostgres

/// An open connection to the server; its functions block, none of them beyond its time.
final class Session {
    private let handle: OpaquePointer
    private let string: ConnectionString
    /// The statements that are prepared, and their names.
    private var names: [String: String] = [:]
    private var lastName = 0

    /// Connects; libpq may take `connect_timeout` for each address.
    init(_ string: ConnectionString, defaults: [String: String]) throws(PostgresFailure) {
        self.string = string
        handle = try ConnectionAttempt(string, defaults: defaults).open()
        // A library prints nothing; by default libpq shows warnings on standard error.
        _ = AuthStatePQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { AuthStatePQfinish(handle) }

    /// The socket, to wait for notifications with.
    var socket: Int32 { AuthStatePQsocket(handle) }

    /// Sends statements and reads their results, row by row: the memory that the database may fill has a bound.
    ///
    /// Several share one transaction, of which all is executed or nothing; a script goes by itself. With libpq 14 or newer,
    /// which several need, a statement is prepared when the connection meets it for the first time, and all that is sent
    /// travels together.
    ///
    /// - Parameter deliver: Called when the transaction has committed, before what is sent along is known to be executed.
    func execute(
        _ statements: [Statement], within limit: Duration, delivering deliver: ([[Row]]) -> Void = { _ in }
    ) throws(PostgresFailure) -> [[Row]] {
        let end = ContinuousClock.now + limit
        let afterwards = statements.flatMap(\.afterwards)
        guard Self.hasPipelines, !statements[0].isScript else {
            if Self.hasPipelines {
                guard AuthStatePQexitPipelineMode(handle) == 1 else { throw failure(.connectionLost) }
            }
            let rows = [try sendAndRead(statements[0], until: end)]
            deliver(rows)
            for statement in afterwards { _ = try sendAndRead(statement, until: end) }
            return rows
        }
        guard AuthStatePQenterPipelineMode(handle) == 1 else { throw failure(.connectionLost) }
        let isShared = statements.count > 1
        let groups = [isShared ? [Self.hurry] + statements + [Self.patience] : statements, afterwards].filter {
            !$0.isEmpty
        }
        var isNew: [[Bool]] = []
        for group in groups {
            var areNew: [Bool] = []
            for statement in group {
                areNew.append(names[statement.sql] == nil)
                guard prepare(statement), send(statement) else { throw failure(.connectionLost) }
            }
            guard AuthStatePQpipelineSync(handle) == 1 else { throw failure(.connectionLost) }
            isNew.append(areNew)
        }
        let answer = try read(groups[0], isNew: isNew[0], until: end)
        let rows = answer.map { isShared ? Array($0.dropFirst().dropLast()) : $0 }
        if case .success(let rows) = rows { deliver(rows) }
        for (group, isNew) in zip(groups, isNew).dropFirst() {
            let told = try read(group, isNew: isNew, until: end)
            if case .success = rows { _ = try told.get() }
        }
        return try rows.get()
    }

    /// Whether libpq can send several statements at once.
    static var hasPipelines: Bool { AuthStatePQHasPipelines() != 0 }

    /// Begins a transaction of several statements: none of them waits for long for a row that another client has locked, because
    /// the others would wait with it.
    private static let hurry = Statement(.reading, "SELECT set_config('lock_timeout', '250', true)", columns: 1)
    /// Ends it: the commit may wait for the lock that all notifications of a server share.
    private static let patience = Statement(.reading, "SELECT set_config('lock_timeout', '0', true)", columns: 1)

    /// Sends a statement by itself.
    private func sendAndRead(_ statement: Statement, until end: ContinuousClock.Instant) throws(PostgresFailure)
        -> [Row]
    {
        guard send(statement) else { throw failure(.connectionLost) }
        var refusal: PostgresFailure?
        let rows = try read(statement, &refusal, until: end)
        if let refusal { throw refusal }
        return rows
    }

    /// Reads what the database answers to the statements of a transaction, and the mark that follows when it has committed; a
    /// refusal is a result, after which the connection goes on.
    ///
    /// - Parameter isNew: Whether each statement was prepared just before it was sent.
    private func read(
        _ statements: [Statement], isNew: [Bool], until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> Result<[[Row]], PostgresFailure> {
        var refusal: PostgresFailure?
        var rows: [[Row]] = []
        for (statement, isNew) in zip(statements, isNew) {
            let wasRefused = refusal != nil
            rows.append(try read(statement, isNew: isNew, &refusal, until: end))
            // The table was altered since, or a pooler gave this client another connection to the server.
            if !wasRefused, !isNew, let state = refusal?.state, ["0A000", "26000"].contains(state) {
                names[statement.sql] = nil
                refusal?.cause = .connectionLost
            }
        }
        guard let mark = try nextResult(until: end) else { throw failure(.connectionLost) }
        defer { AuthStatePQclear(mark) }
        guard Int(AuthStatePQresultStatus(mark)) == AuthStatePQ_PGRES_PIPELINE_SYNC else {
            throw failure(.connectionLost)
        }
        return refusal.map(Result.failure) ?? .success(rows)
    }

    /// Reads what the database answers to a statement.
    ///
    /// - Parameters:
    ///   - isNew: Whether the statement was prepared just before.
    ///   - refusal: The first refusal of the transaction, after which its other statements are not executed.
    private func read(
        _ statement: Statement, isNew: Bool = false, _ refusal: inout PostgresFailure?,
        until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [Row] {
        while AuthStatePQflush(handle) == 1 { try wait(for: POLLIN | POLLOUT, until: end) }
        var (rows, room) = ([Row](), statement.maximumSize)
        for isPreparation in isNew ? [true, false] : [false] {
            if !isPreparation, refusal == nil, AuthStatePQsetSingleRowMode(handle) != 1 {
                throw failure(.connectionLost)
            }
            while let result = try nextResult(until: end) {
                defer { AuthStatePQclear(result) }
                do throws(PostgresFailure) {
                    for row in refusal == nil ? try self.rows(of: result, to: statement) : [] {
                        room -= row.size
                        guard room >= 0 else { throw Self.tooMuch(statement) }
                        rows.append(row)
                    }
                } catch {
                    // A server that wants to copy gives the same result for ever.
                    if error.breaksConnection { throw error }
                    refusal = error
                }
                if ContinuousClock.now >= end { throw Self.tooLate }
            }
            if isPreparation, refusal != nil { names[statement.sql] = nil }
        }
        return rows
    }

    private func nextResult(until end: ContinuousClock.Instant) throws(PostgresFailure) -> OpaquePointer? {
        while AuthStatePQisBusy(handle) == 1 { try wait(for: POLLIN, until: end) }
        return AuthStatePQgetResult(handle)
    }

    /// Reads the input that has arrived, and returns the payloads of notifications.
    func notifications() throws(PostgresFailure) -> [String] {
        guard AuthStatePQconsumeInput(handle) == 1 else { throw failure(.connectionLost) }
        var payloads: [String] = []
        while let notification = AuthStatePQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            AuthStatePQfreemem(notification)
        }
        return payloads
    }

    private func wait(for events: Int32, until end: ContinuousClock.Instant) throws(PostgresFailure) {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { throw Self.tooLate }
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        _ = poll(&descriptor, 1, Int32(min(left / .milliseconds(1) + 1, 60_000)))
        if descriptor.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, AuthStatePQconsumeInput(handle) == 0 {
            throw failure(.connectionLost)
        }
    }

    private static let tooLate = PostgresFailure(cause: .timedOut, message: "the database did not answer in time")

    private static func tooMuch(_ statement: Statement) -> PostgresFailure {
        PostgresFailure(
            cause: .connectionLost, message: "the database sent more than \(statement.maximumSize) bytes of rows")
    }

    private func failure(_ cause: PostgresFailure.Cause) -> PostgresFailure {
        PostgresFailure(cause: cause, message: string.redacting(String(cString: AuthStatePQerrorMessage(handle))))
    }

    private func rows(of result: OpaquePointer, to statement: Statement) throws(PostgresFailure) -> [Row] {
        switch Int(AuthStatePQresultStatus(result)) {
        case AuthStatePQ_PGRES_TUPLES_OK, AuthStatePQ_PGRES_SINGLE_TUPLE, AuthStatePQ_PGRES_COMMAND_OK:
            let (count, columns) = (AuthStatePQntuples(result), AuthStatePQnfields(result))
            if statement.isScript || count == 0 { return [] }
            // A pooler that mixes answers up, or another program at the server's place.
            guard columns == statement.columns else {
                throw PostgresFailure(
                    cause: .connectionLost,
                    message: "the database answered with \(columns) columns instead of \(statement.columns)")
            }
            return (0..<count).map { row in Row(columns: (0..<columns).map { Self.value(result, row, $0) }) }
        default:
            // The first line only: details can hold values.
            let text = { (field: Int32) in AuthStatePQresultErrorField(result, field).map { String(cString: $0) } }
            guard let state = text(Int32(AuthStatePQ_PG_DIAG_SQLSTATE)) else { throw failure(.connectionLost) }
            let message = text(Int32(AuthStatePQ_PG_DIAG_MESSAGE_PRIMARY)) ?? "unknown"
            throw PostgresFailure(message: string.redacting(message), state: state)
        }
    }

    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> [UInt8]? {
        guard AuthStatePQgetisnull(result, row, column) == 0, let bytes = AuthStatePQgetvalue(result, row, column)
        else { return nil }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(AuthStatePQgetlength(result, row, column))))
    }

    /// Prepares a statement on its first use.
    private func prepare(_ statement: Statement) -> Bool {
        guard names[statement.sql] == nil else { return true }
        lastName += 1
        let name = "authstate\(lastName)"
        names[statement.sql] = name
        return AuthStatePQsendPrepare(handle, name, statement.sql, Int32(statement.parameters.count), nil) == 1
    }

    /// `bytea` goes as it is, everything else as text; results come in binary.
    private func send(_ statement: Statement) -> Bool {
        if statement.isScript { return AuthStatePQsendQuery(handle, statement.sql) == 1 }
        var buffer: [UInt8] = []
        var offsets: [Int] = []
        var lengths: [Int32] = []
        var formats: [Int32] = []
        for parameter in statement.parameters {
            offsets.append(buffer.count)
            switch parameter {
            case .bytes(let bytes):
                buffer += bytes
                lengths.append(Int32(bytes.count))
                formats.append(1)
            case .text(let text):
                buffer += Array(text.utf8)
                lengths.append(Int32(text.utf8.count))
                formats.append(0)
            }
            buffer.append(0)
        }
        return buffer.withUnsafeBytes { raw in
            let base = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = offsets.map { offset in base.map { $0 + offset } }
            let count = Int32(values.count)
            if let name = names[statement.sql] {
                return AuthStatePQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            }
            return AuthStatePQsendQueryParams(handle, statement.sql, count, nil, values, lengths, formats, 1) == 1
        }
    }
}
