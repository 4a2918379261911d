import AuthStateFoundation

/// The user's home folder, in paths that a user wrote and no shell has read: in a configuration, a service file, a literal.
package enum HomeFolder {
    /// Returns the path with the home folder in place of a `~` before its first slash; every other path as it is.
    package static func expanded(
        _ path: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = environment["HOME"], home.hasPrefix("/") else {
            return path
        }
        return home + path.dropFirst()
    }
}
