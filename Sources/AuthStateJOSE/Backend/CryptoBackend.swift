/// The cryptographic operations that a platform, or a library of your choice, provides; ``Cryptography`` chooses it.
///
/// Keys travel as ``JSONWebKey`` values whose form was checked; a backend turns them into verifiers and signers once and
/// these are used many times, from any thread. HMAC signatures are built from ``authenticationCode(_:key:of:)``, so a
/// backend never sees the scheme `hmac`.
public protocol CryptoBackend: Sendable {
    func digest(_ function: SHA2.Function, of bytes: [UInt8]) throws(JOSEError) -> [UInt8]

    /// The HMAC of bytes (RFC 2104).
    ///
    /// - Parameters:
    ///   - function: The hash function of the HMAC.
    ///   - key: The secret key.
    ///   - bytes: The message.
    func authenticationCode(_ function: SHA2.Function, key: [UInt8], of bytes: [UInt8]) throws(JOSEError) -> [UInt8]

    /// Encrypts by AES-256-GCM (RFC 5116, section 5.2): the ciphertext, then its tag of 16 bytes.
    ///
    /// Throws ``JOSEError`` with `malformed` for a key that has not 32 bytes, or a nonce that has not 12.
    ///
    /// - Parameters:
    ///   - message: The plaintext.
    ///   - key: The secret key, 32 bytes.
    ///   - nonce: The nonce, 12 bytes, which must never be used again with this key.
    ///   - data: The associated data, which are authenticated and not encrypted.
    func seal(
        _ message: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(JOSEError) -> [UInt8]

    /// Decrypts the output of `seal`; throws ``JOSEError`` with `decryptionFailed`, and no more, for any other input.
    ///
    /// - Parameters:
    ///   - sealed: The ciphertext and its tag.
    ///   - key: The secret key, 32 bytes.
    ///   - nonce: The nonce that the message was sealed with, 12 bytes.
    ///   - data: The associated data that the message was sealed with.
    func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(JOSEError) -> [UInt8]

    /// Imports a public key, which fits the scheme, for verifying.
    func verifier(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureVerifier

    /// Imports a private key, which fits the scheme, for signing; refuses one whose public part is another key's.
    func signer(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureSigner

    /// Generates a private key for the scheme; RSA keys have 2048 bits.
    func generateKey(for scheme: SignatureScheme) throws(JOSEError) -> JSONWebKey

    /// Reads a private key from PKCS #8, PKCS #1 or SEC 1.
    func privateKey(der: [UInt8]) throws(JOSEError) -> JSONWebKey
}

/// A public key, imported for one scheme.
public protocol SignatureVerifier: Sendable {
    /// Whether a signature in JOSE's form, whose length is right, is the key's over the message.
    func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool
}

/// A private key, imported for one scheme.
public protocol SignatureSigner: Sendable {
    /// The signature of a message, in JOSE's form.
    func sign(_ message: [UInt8]) throws(JOSEError) -> [UInt8]
}

#if os(Linux)
    typealias PlatformBackend = OpenSSLBackend
#else
    typealias PlatformBackend = CryptoKitBackend
#endif
