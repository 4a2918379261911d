import AuthStateOAuth
import CAuthStatePostgres

/// libpq, PostgreSQL's own client library, opened once for the process.
enum PostgresLibrary {
    private static let opened: Result<Void, AuthStateError> = {
        guard let missing = AuthStatePQLoad() else { return .success(()) }
        let name = String(cString: missing)
        return .failure(
            AuthStateError(
                .libraryUnavailable, stage: .store,
                name.hasPrefix("lib") ? "\(name) was not found." : "libpq is too old, it lacks \(name).",
                hint: "Install libpq (Debian and Ubuntu: libpq5; Fedora: libpq; Homebrew: libpq)."))
    }()

    /// Opens the library unless that was done before.
    ///
    /// - Throws: `AuthStateError` with `.libraryUnavailable`.
    static func open() throws { try opened.get() }
}
