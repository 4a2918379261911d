import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ClientCredential {
    /// A key has a few kilobytes; whatever is larger than this is something else.
    private static let sizeLimit = 1 << 16

    /// Fetches the private key from where it is; it is read anew for every request, so that it can be replaced.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` that names the variable or file, and shows nothing of it.
    func privateKey(stage: AuthStateError.Stage) throws -> JSONWebKey {
        let text: String
        switch source {
        case .none, .issued:
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "The client's private key is not given.",
                hint: "Give a credential that says where it is.")
        case .value(let key):
            guard !key.isEmpty else { throw Self.forgotten(stage) }
            text = key
        case .environment(let name): text = try Self.variable(name, "private key", stage)
        case .file(let path): text = try Self.contentOfKeyFile(path, stage)
        }
        do {
            var key = try Self.key(in: text)
            key.keyID = keyID ?? key.keyID
            return key
        } catch {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "There is no usable private key in \(place).",
                expected: "PEM (PKCS #8, PKCS #1 or SEC 1, not encrypted), or a JWK with its private part",
                hint: "Check that it is the client's private key.", underlying: error)
        }
    }

    private var place: String {
        switch source {
        case .file(let path): "the file \(path)"
        case .environment(let name): "the environment variable \(name)"
        case .none, .issued, .value: "the credential"
        }
    }

    private static func key(in text: String) throws(JOSEError) -> JSONWebKey {
        guard text.first(where: { !$0.isWhitespace }) == "{" else { return try SigningKey(pem: text).privateKey }
        guard let json = try? JSONValue(parsing: text.utf8) else {
            throw JOSEError(.malformed, "the key is not JSON")
        }
        let key = try JSONWebKey(json: json)
        guard key.privateMaterial != nil else { throw JOSEError(.keyMismatch, "the key has no private part") }
        return key
    }

    /// Reads a file that only its owner may read, or its group where it is root's.
    private static func contentOfKeyFile(_ path: String, _ stage: AuthStateError.Stage) throws -> String {
        func refusal(_ what: String, expected: String? = nil, received: String? = nil, hint: String) -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: stage,
                "The file \(path), which holds the client's private key, \(what).", expected: expected,
                received: received, hint: hint)
        }
        do {
            // Without O_NONBLOCK, opening a named pipe would wait for its writer.
            let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            let status = try file.status
            guard status.isRegular else {
                throw refusal("is not a file", expected: "a regular file", hint: "Check the path.")
            }
            guard !status.isExposed else {
                throw refusal(
                    "is open to others than its owner", expected: "permissions 0600", received: status.permissions,
                    hint: "Take them away with chmod 600, and think of another key if somebody may have read it.")
            }
            let content = try file.readAll(limit: sizeLimit + 1)
            guard content.count <= sizeLimit else {
                throw refusal("is too large", expected: "\(sizeLimit) bytes at most", hint: "Check the path.")
            }
            return String(decoding: content, as: UTF8.self)
        } catch let error as SystemCallError {
            throw refusal("cannot be read", received: "\(error)", hint: "Check the path and the file's permissions.")
        }
    }
}
