public import AuthStateJOSE

/// The secret half of PKCE (RFC 7636); the method is always S256.
public struct CodeVerifier: Sendable, Hashable, Codable, Redacted {
    /// The verifier, 43 to 128 unreserved characters.
    public let rawValue: String

    /// A new verifier of 32 random bytes, 43 characters.
    public init() { rawValue = RandomText.make() }

    /// A verifier that was made elsewhere; throws `AuthStateError` with `.invalidArgument` when it has another length
    /// or other characters.
    public init(_ verifier: String) throws {
        guard (43...128).contains(verifier.utf8.count) else { throw Self.refusal("\(verifier.utf8.count) characters") }
        guard PercentEncoding.uri(verifier) == verifier else { throw Self.refusal("other characters") }
        rawValue = verifier
    }

    /// The challenge for the authorization request: base64url of SHA-256 (RFC 7636, section 4.2).
    public func challenge() throws -> String { try Base64URL.encode(SHA2.sha256(Array(rawValue.utf8))) }

    private static func refusal(_ received: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .usage, "This cannot be a PKCE code verifier.",
            expected: "43 to 128 letters, digits, '-', '.', '_' or '~'", received: received)
    }

    /// The method, not the secret.
    public var description: String { "code verifier (S256)" }
}

/// Unguessable text for state, nonce and verifier.
enum RandomText {
    static func make() -> String { Base64URL.encode(SecureRandom.bytes(32)) }
}
