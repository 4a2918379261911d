import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Seals logins that wait into their browsers' cookies, with AES-256-GCM.
///
/// Nothing is kept here for a browser that went to the provider: anonymous requests can neither evict another person's
/// login nor fill memory or disk. The cookie is worth nothing to anybody else, and cannot be made or changed. That a login
/// counts once does not depend on it: the library refuses a `state` that was used in this process (it remembers the last
/// thousands), and the provider takes each code once.
struct LoginSeal: Sendable {
    private static let purpose = Array("authstate-server login cookie 1".utf8)
    private let keys: [SecretBytes]

    /// Makes the seal of a server.
    ///
    /// - Parameter sealingKeys: What the states are sealed with, the newest first: a login that began at one server can then
    ///   come back to another. Empty takes a random key: logins that wait end with the process.
    init(_ sealingKeys: [SealingKey]) throws {
        keys =
            sealingKeys.isEmpty
            ? [SecretBytes(SecureRandom.bytes(AES256GCM.keyLength))]
            // A key of its own, so that no cookie is ever a state.
            : try sealingKeys.map { SecretBytes(try SHA2.sha256(Self.purpose + $0.bytes.bytes)) }
    }

    /// The cookie's value.
    func seal(_ login: PendingLogin) throws -> String {
        let message = try JSONEncoder().encode(login)
        return Base64URL.encode(try AES256GCM(key: keys[0]).seal(message, authenticating: Self.purpose))
    }

    /// The login that a cookie holds; nil for what this server did not seal.
    func open(_ text: String) -> PendingLogin? {
        guard let sealed = Base64URL.decode(text) else { return nil }
        for key in keys {
            guard let message = try? AES256GCM(key: key).open(sealed, authenticating: Self.purpose) else { continue }
            return try? JSONDecoder().decode(PendingLogin.self, from: Data(message))
        }
        return nil
    }
}
