import AuthStateJOSE
package import AuthStateOAuth

/// Reports warnings to the program, once for each file.
package final class FileWarnings: Sendable {
    private let report: (@Sendable (AuthStateError) -> Void)?
    private let reported = Lock(Set<String>())

    package init(report: (@Sendable (AuthStateError) -> Void)?) { self.report = report }

    /// Reports that the file has permissions for the group or for all users.
    package func reportExposed(_ path: String) {
        report(
            AuthStateError(
                .storeExposed, stage: .store, "The stored state is open to other users: \(path).",
                expected: "permissions 0600", hint: "Run chmod 600 on it; the next save does the same."), about: path)
    }

    /// Reports that the file cannot be used.
    func report(_ error: AuthStateError, about path: String) {
        guard let report, reported.withLock({ $0.insert("\(error.code.rawValue) \(path)").inserted }) else { return }
        report(error)
    }
}
