extension SHA2 {
    /// The SHA-256 digest, 32 bytes; throws ``JOSEError`` when the backend has no library.
    public static func sha256(_ bytes: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        try digest(.sha256, of: bytes)
    }

    /// The digest by the given function; throws ``JOSEError`` when the backend has no library.
    package static func digest(_ function: Function, of bytes: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        try Cryptography.backend.digest(function, of: Array(bytes))
    }
}
