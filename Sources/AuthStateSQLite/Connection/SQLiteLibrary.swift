import AuthStateOAuth
import CAuthStateSQLite

/// The system's SQLite, opened once for the process.
enum SQLiteLibrary {
    private static let opened: Result<Void, AuthStateError> = {
        let refusal: String?
        if let missing = AuthStateSQLiteLoad().map({ String(cString: $0) }) {
            refusal =
                missing.hasPrefix("sqlite3_")
                ? "The system's SQLite is too old, it lacks \(missing)." : "\(missing) was not found."
        } else {
            refusal = SQLiteLibrary.refusal(
                version: AuthStateSQLite_libversion_number(), threads: AuthStateSQLite_threadsafe())
        }
        return refusal.map { .failure(unusable($0)) } ?? .success(())
    }()

    /// The reason why a library cannot be used; nil when it can.
    ///
    /// - Parameters:
    ///   - version: 3031000 for 3.31.0: an older one follows a link in the place of the database.
    ///   - threads: Zero for one that was built for programs with one thread.
    static func refusal(version: Int32, threads: Int32) -> String? {
        if version < 3_031_000 {
            return "The system's SQLite is too old: \(version / 1_000_000).\(version / 1_000 % 1_000)."
        }
        return threads == 0 ? "The system's SQLite was built for programs with one thread." : nil
    }

    /// Opens the library unless that was done before.
    ///
    /// - Throws: `AuthStateError` with `.libraryUnavailable`.
    static func open() throws { try opened.get() }

    private static func unusable(_ message: String) -> AuthStateError {
        AuthStateError(
            .libraryUnavailable, stage: .store, message,
            hint: "Install SQLite 3.31 or newer (Debian and Ubuntu: libsqlite3-0; Fedora: sqlite-libs).")
    }
}
