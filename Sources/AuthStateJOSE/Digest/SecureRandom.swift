/// Random bytes from the operating system's own generator.
///
/// `SystemRandomNumberGenerator` is `getrandom(2)` on Linux and `arc4random_buf(3)` on Darwin: seeded before it first
/// answers and safe across `fork`. A system without random numbers ends the process, as there is nothing safe to do.
public enum SecureRandom {
    /// That many random bytes, none for a count below one.
    public static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, initialized in
            while initialized < max(0, count) {
                withUnsafeBytes(of: generator.next()) { word in
                    for byte in word.prefix(count - initialized) {
                        buffer.initializeElement(at: initialized, to: byte)
                        initialized += 1
                    }
                }
            }
        }
    }
}
