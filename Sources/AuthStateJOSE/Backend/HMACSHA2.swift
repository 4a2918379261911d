/// Message authentication codes by HMAC (RFC 2104) over SHA-2, computed by the platform's library.
public enum HMACSHA2 {
    /// The HMAC-SHA-256 of a message, 32 bytes; throws ``JOSEError`` when the platform's library is missing.
    public static func sha256(
        _ message: some Collection<UInt8>, key: some Collection<UInt8>
    ) throws(JOSEError) -> [UInt8] {
        try authenticate(message, key: key, function: .sha256)
    }

    /// The HMAC of a message by the given function; throws ``JOSEError`` when the platform's library is missing.
    public static func authenticate(
        _ message: some Collection<UInt8>, key: some Collection<UInt8>, function: HashFunction
    ) throws(JOSEError) -> [UInt8] {
        try PlatformBackend().authenticationCode(function, key: Array(key), of: Array(message))
    }
}
