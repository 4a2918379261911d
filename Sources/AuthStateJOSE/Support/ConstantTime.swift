/// Comparisons that take as long for a near miss as for a wide one.
public enum ConstantTime {
    /// Whether two byte sequences are the same, in a time that depends on their lengths only.
    package static func equals(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        // As arrays: a loop over a generic collection would not be specialised for callers in other modules.
        let (left, right) = (Array(a), Array(b))
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Whether two strings have the same UTF-8 bytes, in a time that depends on their lengths only.
    public static func equals(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool { equals(a.utf8, b.utf8) }
}
