extension URIReference {
    /// Whether the host says to everybody the same: a name, four decimal numbers, or an address in brackets.
    ///
    /// Escapes, and IPv4 addresses written with hexadecimal, octal, too few or too large numbers, mean one thing to what
    /// checks a URL and another to what connects: libcurl takes `127.0.0.%31` and `0x7f.1` for 127.0.0.1.
    package var hasPlainHost: Bool {
        guard let host, !host.isEmpty else { return false }
        if host.utf8.first == UInt8(ascii: "[") {
            return host.utf8.last == UInt8(ascii: "]")
                && host.utf8.dropFirst().dropLast().allSatisfy { $0.hexValue != nil || ":.".utf8.contains($0) }
        }
        guard
            host.utf8.allSatisfy({ (0x61...0x7A).contains($0.asciiLowercased) || $0.isDigit || "-._".utf8.contains($0) }
            )
        else { return false }
        // A name whose last label begins with a digit is an address: no top-level domain does.
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last(where: { !$0.isEmpty })?.utf8.first, last.isDigit else { return true }
        return labels.count == 4 && labels.allSatisfy { label in UInt8(label).map { "\($0)" == label } ?? false }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
