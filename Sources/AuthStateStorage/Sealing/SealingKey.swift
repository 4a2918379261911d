public import AuthStateJOSE
import AuthStateOAuth

/// A secret key of 256 bits that stored states are sealed with, and the name by which they identify it.
///
/// Make one with `openssl rand -base64 32`, and keep it apart from the states: a reader of both can read the tokens.
/// One key may be used for 2^31 saves (see `AES256GCM`): a thousand a second for three weeks, one a second for
/// seventy years.
public struct SealingKey: Sendable, Hashable {
    /// The key's name, which stands in every state that is sealed with it; no secret.
    public let id: String
    /// The key itself: 32 bytes.
    public let bytes: SecretBytes

    /// Takes a key of 32 bytes.
    ///
    /// - Parameters:
    ///   - id: 1 to 64 ASCII letters, digits, `.`, `_` or `-`; nil makes a name from a hash of the key.
    ///   - bytes: From a good source of random numbers; a password is none.
    /// - Throws: `AuthStateError` with `.invalidArgument`; `.libraryUnavailable` when there is no SHA-256.
    public init(id: String? = nil, bytes: some Collection<UInt8>) throws {
        guard bytes.count == AES256GCM.keyLength else {
            throw AuthStateError(
                .invalidArgument, stage: .store, "A sealing key has the wrong length.",
                expected: "\(AES256GCM.keyLength) bytes", received: "\(bytes.count) bytes", hint: Self.recipe)
        }
        self.id = try id ?? Self.name(of: Array(bytes))
        self.bytes = SecretBytes(bytes)
        guard (1...64).contains(self.id.utf8.count), self.id.utf8.allSatisfy(Self.isAllowed) else {
            throw AuthStateError(
                .invalidArgument, stage: .store, "A sealing key cannot have this name.",
                expected: "1 to 64 letters, digits, dots, underscores or hyphens", received: self.id,
                hint: "Take the date, or leave the name out.")
        }
    }

    /// Makes a new key from random bytes: for tests, or to be written down by the program.
    ///
    /// - Throws: As the other initialiser.
    public static func random(id: String? = nil) throws -> SealingKey {
        try SealingKey(id: id, bytes: SecureRandom.bytes(AES256GCM.keyLength))
    }

    var cipher: AES256GCM { get throws(JOSEError) { try AES256GCM(key: bytes) } }

    static let recipe = "Make one with: openssl rand -base64 32"

    /// Returns a name that stays with the key: the first 64 bits of a hash that is used for nothing else.
    private static func name(of bytes: [UInt8]) throws -> String {
        String(try Fingerprint.of(Array("AuthStateKit sealing key\n".utf8) + bytes).prefix(16))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
