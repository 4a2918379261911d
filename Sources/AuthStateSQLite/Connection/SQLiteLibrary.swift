import AuthStateOAuth
import CAuthStateSQLite

/// The system's SQLite, opened once for the process.
enum SQLiteLibrary {
    private static let opened: Result<Void, AuthStateError> = {
        guard let missing = AuthStateSQLiteLoad() else {
            return AuthStateSQLite_threadsafe() != 0
                ? .success(()) : .failure(unusable("The system's SQLite was built for programs with one thread."))
        }
        let name = String(cString: missing)
        return .failure(
            unusable(
                name.contains("lib") ? "\(name) was not found." : "The system's SQLite is too old, it lacks \(name)."))
    }()

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
