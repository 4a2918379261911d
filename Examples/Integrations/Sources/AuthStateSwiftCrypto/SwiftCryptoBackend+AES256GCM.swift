public import AuthStateJOSE
import Crypto

extension SwiftCryptoBackend {
    /// Encrypts by AES-256-GCM: the ciphertext, then its tag.
    ///
    /// - Parameters:
    ///   - message: The plaintext.
    ///   - key: The secret key, 32 bytes.
    ///   - nonce: The nonce, 12 bytes, which must never be used again with this key.
    ///   - data: The associated data, which are authenticated and not encrypted.
    public func seal(
        _ message: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(JOSEError) -> [UInt8] {
        try AES256GCM.check(key: key, nonce: nonce)
        do {
            let box = try AES.GCM.seal(
                message, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce), authenticating: data)
            return Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw JOSEError.failure("cipher")
        }
    }

    /// Decrypts the output of `seal`; throws `decryptionFailed` for any other input.
    ///
    /// - Parameters:
    ///   - sealed: The ciphertext and its tag.
    ///   - key: The secret key, 32 bytes.
    ///   - nonce: The nonce that the message was sealed with, 12 bytes.
    ///   - data: The associated data that the message was sealed with.
    public func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(JOSEError) -> [UInt8] {
        try AES256GCM.check(key: key, nonce: nonce)
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed.dropLast(AES256GCM.tagLength),
                tag: sealed.suffix(AES256GCM.tagLength))
            return Array(try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: data))
        } catch {
            throw AES256GCM.refusal
        }
    }
}
