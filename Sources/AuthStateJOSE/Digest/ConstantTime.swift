/// Comparisons that take as long for a near miss as for a wide one.
public enum ConstantTime {
    /// Whether two byte sequences are the same, in a time that depends on their lengths only.
    public static func equals(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(a, b) { difference |= left ^ right }
        return difference == 0
    }

    /// Whether two strings have the same UTF-8 bytes, in a time that depends on their lengths only.
    public static func equals(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
        equals(a.utf8, b.utf8)
    }
}
