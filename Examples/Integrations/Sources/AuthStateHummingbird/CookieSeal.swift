import AuthStateJOSE
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Seals pending logins into their browsers' cookies, with AES-256-GCM.
///
/// Nothing is kept here for a browser that went to the provider: anonymous requests can neither evict another user's
/// login nor fill memory or disk. The cookie is worthless in another browser, and cannot be made or changed. Another
/// mechanism makes a login complete only once: the library refuses a `state` that was used in this process (it
/// remembers the last thousands), and the provider accepts each code once.
struct CookieSeal: Sendable {
    private static let purpose = Array("authstate-server login cookie 1".utf8)
    private let keys: [SecretBytes]

    /// Makes the seal of a server.
    ///
    ///   - sealingKeys: The keys that seal the states, the newest first: a login that began at one server can then
    ///     return to another. Empty uses a random key: pending logins end with the process.
    init(_ sealingKeys: [SealingKey]) throws {
        keys =
            sealingKeys.isEmpty
            ? [SecretBytes(SecureRandom.bytes(AES256GCM.keyLength))]
            // A key of its own, so that a cookie never passes for a state.
            : try sealingKeys.map { SecretBytes(try SHA2.sha256(Self.purpose + $0.bytes.bytes)) }
    }

    /// The cookie's value.
    func seal(_ login: PendingLogin) throws -> String {
        let message = try JSONEncoder().encode(login)
        return Base64URL.encode(try AES256GCM(key: keys[0]).seal(message, authenticating: Self.purpose))
    }

    /// The login that a cookie holds; nil for text that this server did not seal.
    func open(_ text: String) -> PendingLogin? {
        guard let sealed = Base64URL.decode(text) else { return nil }
        for key in keys {
            guard let message = try? AES256GCM(key: key).open(sealed, authenticating: Self.purpose) else { continue }
            return try? JSONDecoder().decode(PendingLogin.self, from: Data(message))
        }
        return nil
    }
}
