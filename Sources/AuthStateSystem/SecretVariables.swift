import AuthStateJOSE
package import AuthStateOAuth

/// The environment variables that hold secrets of this program, as far as it has named them: a browser inherits none.
package enum SecretVariables {
    private static let names = Lock(Set<String>())

    /// The names so far.
    package static var all: Set<String> { names.withLock { $0 } }

    /// Notes a variable that a secret or key is read from.
    package static func note(_ name: String) { _ = names.withLock { $0.insert(name) } }

    /// Notes the variable that a credential names, if it names one.
    package static func note(_ credential: ClientCredential) {
        if case .environment(let name) = credential.source { note(name) }
    }
}
