import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// An environment variable that holds a secret, as an option names it.
enum SecretVariable {
    /// Refuses text that is not a variable's name: it is likely to be the secret itself, and is never repeated.
    static func check(_ name: String?, of option: String) throws {
        if let name, !name.isVariableName {
            throw ValidationError("\(option) takes the name of a variable, not what it holds.")
        }
    }

    /// The value of a variable without line breaks at its end, which no secret has; nil when none was named.
    static func read(
        _ name: String?, holding thing: String, stage: AuthStateError.Stage,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String? {
        guard let name else { return nil }
        var secret = environment[name] ?? ""
        while secret.last?.isNewline == true { secret.removeLast() }
        guard !secret.isEmpty else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage,
                "The environment variable \(name), which holds \(thing), is not set.", hint: "Set \(name).")
        }
        return secret
    }
}
