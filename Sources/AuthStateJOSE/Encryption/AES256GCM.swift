/// Authenticated encryption by AES-256-GCM (NIST SP 800-38D; RFC 5116, section 5.2).
///
/// Every message gets a random nonce of 96 bits. At most 2^32 messages may be sealed with one key: beyond that the
/// chance of a repeated nonce, which would reveal both messages, is no longer negligible (SP 800-38D, section 8.3).
public struct AES256GCM: Sendable {
    /// The length of a key, in bytes.
    public static let keyLength = 32
    package static let nonceLength = 12
    /// The length of a tag, in bytes.
    public static let tagLength = 16

    private let key: SecretBytes
    private let backend: any CryptoBackend

    /// Takes a key of 32 bytes; throws ``JOSEError`` with `malformed` for any other length.
    public init(key: SecretBytes, backend: any CryptoBackend = Cryptography.backend) throws(JOSEError) {
        try Self.check(key.bytes, length: Self.keyLength, "a key")
        self.key = key
        self.backend = backend
    }

    /// Encrypts a message: the nonce, the ciphertext and the tag, 28 bytes more than the message.
    ///
    /// The associated data are not encrypted, and have to be the same when the message is opened.
    /// - Throws: ``JOSEError`` with `backendUnavailable` when the backend's library is missing or fails.
    public func seal(
        _ message: some Collection<UInt8>, authenticating data: some Collection<UInt8>
    ) throws(JOSEError) -> [UInt8] {
        let nonce = SecureRandom.bytes(Self.nonceLength)
        return try nonce + backend.seal(Array(message), key: key.bytes, nonce: nonce, authenticating: Array(data))
    }

    /// Decrypts a message that `seal` made; returns no part of any other.
    ///
    /// - Throws: ``JOSEError`` with `decryptionFailed` when message or data were changed or cut, or the key is another one;
    ///   `backendUnavailable`.
    public func open(
        _ sealed: some Collection<UInt8>, authenticating data: some Collection<UInt8>
    ) throws(JOSEError) -> [UInt8] {
        guard sealed.count >= Self.nonceLength + Self.tagLength else { throw Self.refusal }
        let (nonce, rest) = (sealed.prefix(Self.nonceLength), sealed.dropFirst(Self.nonceLength))
        return try backend.open(Array(rest), key: key.bytes, nonce: Array(nonce), authenticating: Array(data))
    }

    /// One error for every changed part of a sealed message: the part would help an attacker only.
    public static let refusal = JOSEError(
        .decryptionFailed,
        "what was sealed cannot be opened: it was changed, or the key or the associated data is another")

    /// Refuses a length that the cipher does not have.
    static func check(_ bytes: [UInt8], length: Int, _ name: String) throws(JOSEError) {
        guard bytes.count == length else {
            throw JOSEError(
                .malformed, "\(name) has the wrong length", expected: "\(length) bytes",
                received: "\(bytes.count) bytes")
        }
    }

    /// Refuses keys and nonces of a wrong length, for backends: beyond a short one a C library would read; throws
    /// ``JOSEError`` with `malformed`.
    public static func check(key: [UInt8], nonce: [UInt8]) throws(JOSEError) {
        try check(key, length: keyLength, "a key")
        try check(nonce, length: nonceLength, "a nonce")
    }
}
