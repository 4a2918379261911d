extension SHA2 {
    /// The SHA-256 digest, 32 bytes; throws ``JOSEError`` when the backend has no library.
    public static func sha256(_ bytes: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        try digest(.sha256, of: bytes)
    }

    /// The SHA-384 digest, 48 bytes; throws ``JOSEError`` when the backend has no library.
    public static func sha384(_ bytes: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        try digest(.sha384, of: bytes)
    }

    /// The SHA-512 digest, 64 bytes; throws ``JOSEError`` when the backend has no library.
    public static func sha512(_ bytes: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        try digest(.sha512, of: bytes)
    }

    /// The digest by the given function; throws ``JOSEError`` when the backend has no library.
    public static func digest(_ function: Function, of bytes: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        try Cryptography.backend.digest(function, of: Array(bytes))
    }
}
