import AuthStateJOSE

/// Names of variables of the environment that Tests/Settings has set before the first thread: a test may change their values beside
/// other tests, but not add or remove variables.
enum TestVariable {
    private static let used = Lock(0)

    /// Returns the name of a variable that no other test has; there are sixteen.
    static func name() -> String {
        used.withLock { count in
            count += 1
            return "AUTHSTATE_TEST_\(count)"
        }
    }
}
