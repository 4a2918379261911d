import AuthStateJOSE
import AuthStateKit

/// The secret that ties a browser to an entry of this server: 32 random bytes that only the browser's cookie has.
///
/// The server keeps nothing but its hash, so that a stolen folder, database or log opens no session.
struct BrowserSecret: Sendable, Equatable {
    /// The cookie's value.
    let text: String
    /// The name of the entry here.
    let hash: String

    /// A new secret.
    init() throws {
        text = Base64URL.encode(SecureRandom.bytes(32))
        hash = try Self.hash(text)
    }

    /// A secret from a browser; nil for text that cannot be one of ours.
    init?(_ text: String) {
        guard Base64URL.decode(text)?.count == 32, let hash = try? Self.hash(text) else { return nil }
        self.text = text
        self.hash = hash
    }

    /// A value for forms that only this browser's pages hold (against cross-site request forgery).
    func formToken() throws -> String { try Self.hash("form \(text)") }

    private static func hash(_ text: String) throws -> String { try Base64URL.encode(SHA2.sha256(Array(text.utf8))) }
}

extension BrowserSecret: CustomStringConvertible, CustomReflectable {
    /// Nothing of the secret.
    var description: String { "browser secret" }
    /// An empty mirror.
    var customMirror: Mirror { Mirror(self, children: []) }
}
