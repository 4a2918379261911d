import AuthStateFoundation
package import AuthStateJOSE
import AuthStateLibc
package import AuthStateOAuth

/// Reads secrets from a program's environment and files; errors name the place and show nothing of its content.
package enum SecretSource {
    /// A secret or key has a few kilobytes; a content that is larger than this is something else.
    private static let sizeLimit = 1 << 16

    /// Returns an environment variable's value, which no browser inherits from then on; throws
    /// `.credentialUnavailable`.
    package static func variable(_ name: String, holding thing: String, stage: AuthStateError.Stage) throws -> String {
        SecretVariables.note(name)
        // `$(cat file)` drops a line break at the end; other ways to set a variable keep it.
        let text = ProcessInfo.processInfo.environment[name]?.withoutLineBreakAtEnd
        guard let text, !text.isEmpty else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage,
                "The environment variable \(name), which holds \(thing), is not set.",
                hint: "Set \(name) and try again.")
        }
        return text
    }

    /// Returns the text of a file that only its owner may read, or its group where root owns it; with `mayBeRead` other
    /// users too, as they may a platform's short-lived tokens. Throws `AuthStateError` with `.credentialUnavailable`.
    package static func content(
        ofFile path: String, holding thing: String, mayBeRead: Bool = false, stage: AuthStateError.Stage
    ) throws -> String {
        String(decoding: try bytes(ofFile: path, holding: thing, mayBeRead: mayBeRead, stage: stage), as: UTF8.self)
    }

    /// Returns the bytes of such a file; throws `AuthStateError` with `.credentialUnavailable`.
    package static func bytes(
        ofFile path: String, holding thing: String, mayBeRead: Bool = false, stage: AuthStateError.Stage
    ) throws -> [UInt8] {
        func refusal(_ what: String, expected: String? = nil, received: String? = nil, hint: String) -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: stage, "The file \(path), which holds \(thing), \(what).",
                expected: expected, received: received, hint: hint)
        }
        do {
            // Without O_NONBLOCK, opening a named pipe would wait for its writer.
            let file = try OpenFile(HomeFolder.expanded(path), O_RDONLY | O_NONBLOCK)
            let status = try file.status
            guard status.isRegular else {
                throw refusal("is not a file", expected: "a regular file", hint: "Check the path.")
            }
            guard TrustCheck.secretFile.holds(status.isOwned(by: geteuid())) else {
                throw refusal(
                    "belongs to another user", expected: "owner \(geteuid()) or root",
                    received: "owner \(status.owner)",
                    hint: "Copy it to a file of your own with the permissions 0600.")
            }
            guard TrustCheck.secretFile.holds(mayBeRead ? !status.isOpenToWriters : !status.isExposed) else {
                throw refusal(
                    "is open to others than its owner", expected: mayBeRead ? "permissions 0644" : "permissions 0600",
                    received: status.permissions,
                    hint: mayBeRead
                        ? "Let its owner alone write it."
                        : "Run chmod 600 on it, and replace the key if another user may have read it.")
            }
            let content = try file.readAll(limit: sizeLimit + 1)
            guard content.count <= sizeLimit else {
                throw refusal("is too large", expected: "\(sizeLimit) bytes at most", hint: "Check the path.")
            }
            return content
        } catch let error as SystemCallError {
            throw refusal("cannot be read", received: "\(error)", hint: "Check the path and the file's permissions.")
        }
    }

    /// Returns the private key that a text holds: PEM, or a JWK; throws `JOSEError`, which shows nothing of the text.
    package static func privateKey(in text: String) throws(JOSEError) -> JSONWebKey {
        guard text.first(where: { !$0.isWhitespace }) == "{" else { return try SigningKey(pem: text).privateKey }
        guard let json = try? JSONValue(parsing: text.utf8) else { throw JOSEError(.malformed, "the key is not JSON") }
        let key = try JSONWebKey(json: json)
        guard key.privateMaterial != nil else { throw JOSEError(.keyMismatch, "the key has no private part") }
        return key
    }

    /// The content of the place is not a usable private key.
    package static func noKey(in place: String, stage: AuthStateError.Stage, _ underlying: (any Error)? = nil)
        -> AuthStateError
    {
        AuthStateError(
            .credentialUnavailable, stage: stage, "There is no usable private key in \(place).",
            expected: "PEM (PKCS #8, PKCS #1 or SEC 1, not encrypted), or a JWK with its private part",
            hint: "Check that it is the right key.", underlying: underlying)
    }
}

extension String {
    /// The text without the line breaks at its end, which files often have and secrets never (RFC 6749, appendix A.2).
    package var withoutLineBreakAtEnd: String {
        var text = self[...]
        while let last = text.last, ["\n", "\r\n", "\r"].contains(last) { text.removeLast() }
        return String(text)
    }
}

extension TrustCheck {
    /// A file that holds a secret or a private key: no other user can read or write it.
    package static let secretFile = TrustCheck("secretFile")
}

/// The environment variables that hold secrets of this program, as far as it has named them: a browser inherits none.
package enum SecretVariables {
    private static let names = Lock(Set<String>())

    package static var all: Set<String> { names.withLock { $0 } }

    package static func note(_ name: String) { _ = names.withLock { $0.insert(name) } }

    /// Notes the variable that a credential names, if it names one.
    package static func note(_ credential: ClientCredential) {
        if case .environment(let name) = credential.source { note(name) }
    }
}

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
