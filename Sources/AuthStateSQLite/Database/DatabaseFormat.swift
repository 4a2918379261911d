import AuthStateOAuth
import AuthStateStorage
import CAuthStateSQLite

/// The format of the database: whose it is, which version, and its tables.
enum DatabaseFormat {
    /// SQLite's `application_id`: "ASK1" in ASCII.
    private static let application: Int64 = 0x4153_4B31
    /// SQLite's `user_version`.
    private static let version: Int64 = 1

    /// The tables. A sweep reads the small rows alone, and a look-up walks down one tree to each.
    private static let tables = [
        // The key is a SHA-256: keys may be of any length and hold any character; often they are session ids. The version is a
        // random number, so that one never comes back, with a backup neither. Seconds since 1970, and the archive's row.
        """
        CREATE TABLE states (key BLOB PRIMARY KEY, version INTEGER NOT NULL, saved REAL NOT NULL, archive INTEGER NOT NULL)
        WITHOUT ROWID
        """,
        "CREATE TABLE archives (id INTEGER PRIMARY KEY, content BLOB NOT NULL)",
    ]

    /// Whether the database has the tables; false where nothing was ever written.
    ///
    /// Asked at each use, because another program can put another format in the place of one that is open.
    ///
    /// - Throws: `AuthStateError` with `.storeTooNew`, or `.storeCorrupt` for another program's database; `SQLiteFailure`.
    static func isReady(_ connection: Connection, _ path: String) throws -> Bool {
        let found = try number("PRAGMA user_version", connection)
        if found == version, connection.isKnown { return true }
        let owner = try number("PRAGMA application_id", connection)
        if owner == 0, found == 0, try number("SELECT count(*) FROM sqlite_master", connection) == 0 { return false }
        guard owner == application, found >= version else {
            throw AuthStateError(
                .storeCorrupt, stage: .store, "The database is another program's: \(path).",
                expected: "application_id \(application)", received: "application_id \(owner), user_version \(found)",
                hint: "Choose another path.")
        }
        guard found == version else {
            throw AuthStateError(
                .storeTooNew, stage: .store, "The database was written by a newer version: \(path).",
                expected: "format \(version)", received: "format \(found)", hint: "Update this program.")
        }
        connection.isKnown = true
        return true
    }

    /// Whether the database has a write-ahead log; one that another program copied or repaired may have none.
    static func hasLog(_ connection: Connection) throws -> Bool {
        if !connection.hasLog { connection.hasLog = try mode("PRAGMA journal_mode", connection) == ["wal"] }
        return connection.hasLog
    }

    private static func mode(_ sql: String, _ connection: Connection) throws -> [String] {
        try connection.run(sql) { String(decoding: $0.data(0), as: UTF8.self) }
    }

    /// Makes the log and the tables, unless another process was faster.
    static func make(_ connection: Connection, _ path: String) throws {
        let mode = try mode("PRAGMA journal_mode=WAL", connection)
        guard mode == ["wal"] else {
            throw AuthStateError(
                .storeUnwritable, stage: .store, "The database cannot have a write-ahead log: \(path).",
                expected: "wal", received: mode.first, hint: "Keep it on a local disk.")
        }
        try connection.transaction {
            if try isReady(connection, path) { return }
            for table in tables { try connection.run(table) }
            try connection.run("PRAGMA application_id=\(application)")
            try connection.run("PRAGMA user_version=\(version)")
        }
        do { try FilePath.synchronizeFolder(FilePath.folder(of: path)) } catch {
            throw AuthStateError.store(.storeUnwritable, "The database cannot be made:", path, error)
        }
    }

    private static func number(_ sql: String, _ connection: Connection) throws -> Int64 {
        try connection.run(sql) { $0.integer(0) }.first ?? 0
    }
}
