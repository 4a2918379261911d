import AuthStateFoundation
import AuthStateLibc
import AuthStateSystem
import CAuthStateSQLite

/// An open connection to the database. Its functions block.
// Unchecked is right here: a connection is in the list of a `Database` or with the one thread that took it out.
final class Connection: @unchecked Sendable {
    /// A value for `?1`, `?2` and so on.
    enum Value {
        case bytes([UInt8])
        case integer(Int64)
        case real(Double)
    }

    /// The file that is open, to tell it from another one of the same name.
    let file: FileStatus
    /// Whether the tables were found to be the store's.
    var isKnown = false
    /// Whether the database was found to have a write-ahead log.
    var hasLog = false
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// Opens a file; makes it if it is not there and a model is given, with the permissions of that file.
    ///
    /// SQLite locks by process: no other code of this process may open the file and close it.
    init(_ path: String, permissionsOf model: String?) throws {
        var name = "file:" + Self.escaped(path)
        var flags = AuthStateSQLite_OPEN_READWRITE | AuthStateSQLite_OPEN_URI
        if let model {
            name += "?modeof=" + Self.escaped(model)
            flags |= AuthStateSQLite_OPEN_CREATE
        }
        // A connection is used by one thread at a time.
        flags |= AuthStateSQLite_OPEN_NOMUTEX | AuthStateSQLite_OPEN_NOFOLLOW
        var opened: OpaquePointer?
        let code = AuthStateSQLite_open_v2(name, &opened, Int32(flags), nil)
        guard code == AuthStateSQLite_OK, let opened else {
            defer { AuthStateSQLite_close(opened) }
            throw SQLiteFailure(code, errno: opened.map { AuthStateSQLite_system_errno($0) } ?? 0)
        }
        do {
            file = try FileStatus(ofFileAt: path)
        } catch {
            AuthStateSQLite_close(opened)
            throw error
        }
        handle = opened
        AuthStateSQLite_busy_handler(
            handle,
            { _, count in
                // For five seconds at least. Savers take turns within a millisecond or two; SQLite's own handler sleeps for up
                // to a tenth of a second.
                usleep(.random(in: 100...400))
                return count < 20_000 ? 1 : 0
            }, nil)
        // The log stays when the last connection closes: a connection to a file that was removed would else remove the log
        // of the file that took its place.
        var isPersistent: Int32 = 1
        AuthStateSQLite_file_control(handle, "main", Int32(AuthStateSQLite_FCNTL_PERSIST_WAL), &isPersistent)
        for setting in Self.settings { try run("PRAGMA " + setting) }
    }

    deinit {
        for statement in statements.values { AuthStateSQLite_finalize(statement) }
        AuthStateSQLite_close(handle)
    }

    private static let settings = [
        // A commit is on the disk when it returns; on Apple's platforms fsync leaves it in the drive's cache.
        "synchronous=FULL", "fullfsync=ON", "checkpoint_fullfsync=ON",
        // What is replaced or deleted is overwritten with zeros in the database; the log is cut when the last connection
        // closes, and has four megabytes at most once it is copied.
        "secure_delete=ON", "journal_size_limit=4194304",
        // No file in the folder for temporary files.
        "temp_store=MEMORY", "cache_size=-1024", "cell_size_check=ON",
    ]

    /// Executes one statement, which is prepared when the connection meets it for the first time.
    @discardableResult
    func run<R>(
        _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> R = { _ in }
    ) throws -> [R] {
        let statement = try prepared(sql)
        defer {
            AuthStateSQLite_reset(statement)
            AuthStateSQLite_clear_bindings(statement)
        }
        for (index, value) in zip(Int32(1)..., values) { try check(bind(value, to: index, of: statement)) }
        var rows: [R] = []
        while true {
            let code = AuthStateSQLite_step(statement)
            if code == AuthStateSQLite_DONE { return rows }
            guard code == AuthStateSQLite_ROW else { throw failure(code) }
            rows.append(try row(Row(statement: statement)))
        }
    }

    /// Writes the changes of the transaction to the log, where they take the space that their commit needs.
    func flush() throws { try check(AuthStateSQLite_db_cacheflush(handle)) }

    /// Undoes the transaction in progress, if there is one; returns whether there is none then.
    @discardableResult
    func rollBack() -> Bool {
        if AuthStateSQLite_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
        return AuthStateSQLite_get_autocommit(handle) != 0
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var made: OpaquePointer?
        try check(
            AuthStateSQLite_prepare_v3(handle, sql, -1, UInt32(AuthStateSQLite_PREPARE_PERSISTENT), &made, nil))
        guard let made else { throw failure(Int32(AuthStateSQLite_CORRUPT)) }
        statements[sql] = made
        return made
    }

    private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer) -> Int32 {
        switch value {
        case .integer(let number): AuthStateSQLite_bind_int64(statement, index, number)
        case .real(let number): AuthStateSQLite_bind_double(statement, index, number)
        case .bytes(let bytes):
            // SQLite copies them; an empty array has no address, which would be NULL.
            (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
                AuthStateSQLite_bind_blob64(statement, index, $0.baseAddress, UInt64(bytes.count), Self.copying)
            }
        }
    }

    /// SQLITE_TRANSIENT: an address that is no function's.
    private static var copying: AuthStateSQLiteRelease? { unsafeBitCast(-1, to: AuthStateSQLiteRelease?.self) }

    private func check(_ code: Int32) throws { if code != AuthStateSQLite_OK { throw failure(code) } }

    private func failure(_ code: Int32) -> SQLiteFailure {
        let extended = AuthStateSQLite_extended_errcode(handle)
        return SQLiteFailure(
            extended & 0xFF == code & 0xFF ? extended : code, errno: AuthStateSQLite_system_errno(handle))
    }

    /// Returns a path as a part of a URI.
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "/._-".utf8.contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

/// A row of a result, for as long as it is read.
struct Row: ~Copyable {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { AuthStateSQLite_column_int64(statement, column) }
    func real(_ column: Int32) -> Double { AuthStateSQLite_column_double(statement, column) }
    /// The size of a column in bytes.
    func size(_ column: Int32) -> Int { Int(AuthStateSQLite_column_bytes(statement, column)) }
    /// The bytes of a BLOB or of a text in UTF-8; none where the column is NULL.
    func data(_ column: Int32) -> Data {
        guard let bytes = AuthStateSQLite_column_blob(statement, column) else { return Data() }
        return Data(bytes: bytes, count: size(column))
    }
}
