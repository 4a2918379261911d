import AuthStateOAuth
import CAuthStatePostgres

/// The database and the user, in libpq's form: `host=… dbname=…` or `postgresql://…`.
struct ConnectionString: Sendable {
    /// Keyword and value, in libpq's spelling.
    let settings: [String: String]

    /// Parses a string.
    ///
    /// - Throws: `AuthStateError` with `.libraryUnavailable` without libpq, `.invalidArgument`; it shows nothing of the string, for a password that is not
    ///   escaped can end up in any part of it.
    init(_ text: String) throws {
        try PostgresLibrary.open()
        var problem: UnsafeMutablePointer<CChar>?
        defer { AuthStatePQfreemem(problem) }
        guard !text.utf8.contains(0), let options = AuthStatePQconninfoParse(text, &problem) else {
            throw Self.unreadable
        }
        defer { AuthStatePQconninfoFree(options) }
        var settings: [String: String] = [:]
        var next = options
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            next += 1
        }
        // postgresql://user:p@ss@host: the rest of the password was taken for the host's name.
        guard settings["host"]?.contains("@") != true else { throw Self.unreadable }
        self.settings = settings
    }

    /// A server's or the library's text, safe to show.
    func redacting(_ text: String) -> String {
        ["password", "sslpassword"].compactMap { settings[$0] }.filter { !$0.isEmpty }
            .reduce(text) { $0.split(separator: $1, omittingEmptySubsequences: false).joined(separator: "***") }
    }

    private static var unreadable: AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .store, "The connection string of PostgreSQL cannot be parsed.",
            expected: "host=… dbname=… user=… or postgresql://user@host/database",
            hint: "In a URI, write special characters of user and password as %40 and the like.")
    }
}

extension ConnectionString: CustomStringConvertible, CustomReflectable {
    /// Host and database, never user or password.
    var description: String {
        ["host", "port", "dbname"].compactMap { name in settings[name].map { "\(name)=\($0)" } }.joined(separator: " ")
    }
    /// A mirror of the description.
    var customMirror: Mirror { Mirror(self, children: ["connection": description]) }
}
