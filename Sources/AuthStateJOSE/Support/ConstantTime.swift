/// Comparisons that take as long for a near miss as for a wide one.
public enum ConstantTime {
    /// Whether two byte sequences are the same, in a time that depends on their lengths only.
    @usableFromInline
    package static func equals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }

    /// Whether two strings have the same UTF-8 bytes, in a time that depends on their lengths only.
    @inlinable
    public static func equals(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
        equals(Array(a.utf8), Array(b.utf8))
    }
}
