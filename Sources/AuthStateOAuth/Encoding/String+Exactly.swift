import AuthStateLibc

extension StringProtocol {
    /// Whether both have the same code points, as identifiers are compared (RFC 7519, section 7.3; RFC 8259, section 8.3).
    ///
    /// `==` takes strings for the same that Unicode calls canonically equivalent: the Kelvin sign is a K to it.
    package func isExactly(_ other: some StringProtocol) -> Bool { hasBytes(of: other) }

    @inline(__always)
    fileprivate func hasBytes(of other: some StringProtocol) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// The same for two strings, which the compiler does not specialise for other modules.
    package func isExactly(_ other: String) -> Bool { hasBytes(of: other) }
}

extension String? {
    /// Whether both have the same code points, or both are absent.
    package func isExactly(_ other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isExactly(other)
    }
}

extension Sequence<String> {
    func containsExactly(_ string: String) -> Bool { contains { $0.isExactly(string) } }
}

extension StringProtocol {
    /// Whether both are equal when A–Z and a–z count as the same, as HTTP and URI scheme names do.
    package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0 == $1 || ($0.asciiLowercased == $1.asciiLowercased) }
    }
}

extension UInt8 {
    /// The lowercase of an ASCII letter; every other byte is itself.
    package var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
    package var isLetter: Bool { (0x61...0x7A).contains(asciiLowercased) }
    package var isAlphanumeric: Bool { isLetter || (0x30...0x39).contains(self) }
    /// Whether a token (RFC 9110, section 5.6.2) may have this character.
    package var isInToken: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension Collection<UInt8> {
    /// Whether this is a token (RFC 9110, section 5.6.2), as methods and field names are.
    package var isToken: Bool { !isEmpty && allSatisfy(\.isInToken) }
}
