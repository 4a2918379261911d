#if os(Linux)
    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif
#endif

/// Random bytes from the operating system's own generator.
///
/// On Linux that is `getentropy(3)`, thus `getrandom(2)`: seeded before it first answers, safe across `fork`, and in need
/// of no library. Elsewhere it is `SystemRandomNumberGenerator`, which on Darwin is `arc4random_buf(3)`.
public enum SecureRandom {
    /// That many random bytes, none for a count below one; throws ``JOSEError`` when the system has none to give.
    public static func bytes(_ count: Int) throws(JOSEError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        #if os(Linux)
            // 256 bytes is the most that one call gives.
            for start in stride(from: 0, to: bytes.count, by: 256) {
                let end = min(start + 256, bytes.count)
                let result = bytes[start..<end].withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
                guard result == 0 else {
                    throw JOSEError(.backendUnavailable, "the system's random number generator failed")
                }
            }
        #else
            var generator = SystemRandomNumberGenerator()
            for index in bytes.indices { bytes[index] = generator.next() }
        #endif
        return bytes
    }
}
