/// Message authentication codes by HMAC (RFC 2104) over SHA-2, computed by ``Cryptography/backend``.
package enum HMACSHA2 {
    /// The HMAC-SHA-256 of a message, 32 bytes; throws ``JOSEError`` when the backend has no library.
    package static func sha256(
        _ message: some Collection<UInt8>, key: some Collection<UInt8>
    ) throws(JOSEError) -> [UInt8] {
        try Cryptography.backend.authenticationCode(.sha256, key: Array(key), of: Array(message))
    }
}
