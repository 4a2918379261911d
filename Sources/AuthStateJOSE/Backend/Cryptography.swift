/// The library for all cryptography of the process for which no backend is given.
///
/// That is everything: digests (PKCE, DPoP, the names of files), HMAC, the encryption of states, and the import, generation
/// and use of keys. Random numbers come from the operating system, see ``SecureRandom``.
public enum Cryptography {
    private static let chosen = Lock<any CryptoBackend>(PlatformBackend())

    /// The backend in use: the platform's, unless the program chose another.
    public static var backend: any CryptoBackend { chosen.withLock { $0 } }

    /// Chooses the backend of the process.
    ///
    /// Call it first in the program: keys that were imported before keep the backend that imported them.
    public static func use(_ backend: any CryptoBackend) { chosen.withLock { $0 = backend } }
}
