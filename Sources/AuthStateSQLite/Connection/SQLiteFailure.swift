import AuthStateLibc
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem
import CAuthStateSQLite

/// A call of SQLite that failed.
struct SQLiteFailure: Error {
    /// The extended result code.
    let code: Int32
    /// The `errno` of the system call behind it; zero where there is none.
    let systemCode: Int32

    /// - Parameter errno: That of the connection's last call that failed, which may be an older one.
    init(_ code: Int32, errno: Int32 = 0) {
        let isOfSystem = [
            AuthStateSQLite_READONLY, AuthStateSQLite_IOERR, AuthStateSQLite_FULL, AuthStateSQLite_CANTOPEN,
        ]
        .contains(Int(code & 0xFF))
        (self.code, systemCode) = (code, isOfSystem ? errno : 0)
    }

    /// Whether every change would meet it, now.
    var isOfDatabase: Bool {
        [
            AuthStateSQLite_BUSY, AuthStateSQLite_LOCKED, AuthStateSQLite_PROTOCOL, AuthStateSQLite_CORRUPT,
            AuthStateSQLite_NOTADB, AuthStateSQLite_IOERR,
        ].contains(Int(code & 0xFF))
    }

    /// The purpose of a statement, which decides the error of a failure.
    enum Purpose: Sendable { case reading, writing }

    /// The failure as users of the store see it.
    ///
    /// It has SQLite's own text for the code: a text for the statement could hold values.
    func error(_ purpose: Purpose, _ path: String) -> AuthStateError {
        let primary = Int(code & 0xFF)
        let kind: AuthStateError.Code =
            switch primary {
            case AuthStateSQLite_BUSY, AuthStateSQLite_LOCKED, AuthStateSQLite_PROTOCOL: .storeLocked
            case AuthStateSQLite_CORRUPT, AuthStateSQLite_NOTADB: .storeCorrupt
            default: purpose == .reading ? .storeUnreadable : .storeUnwritable
            }
        let call = systemCode == 0 ? "" : " (\(SystemCallError(code: systemCode)))"
        return AuthStateError(
            kind, stage: .store,
            "The database cannot be \(purpose == .reading ? "read" : "written to"): \(path): "
                + "\(String(cString: AuthStateSQLite_errstr(code)))\(call).",
            received: "SQLite's result \(code)", hint: hint(primary))
    }

    private func hint(_ primary: Int) -> String {
        switch primary {
        case AuthStateSQLite_BUSY, AuthStateSQLite_LOCKED, AuthStateSQLite_PROTOCOL:
            "Another program has held the database for seconds: end it (lsof names it), or try again."
        case AuthStateSQLite_CORRUPT, AuthStateSQLite_NOTADB:
            "Move the database and its log (-wal) away and put a backup back; without one the users sign in again. "
                + "'sqlite3 FILE .recover' may save what is left."
        case AuthStateSQLite_FULL: SystemCallError(code: ENOSPC).hint
        case AuthStateSQLite_READONLY: SystemCallError(code: systemCode == 0 ? EACCES : systemCode).hint
        default: SystemCallError(code: systemCode).hint
        }
    }
}
