extension URIReference {
    /// Whether the host has only the characters of names and addresses: ASCII letters, digits, `-`, `.`, `_`, and, in
    /// brackets, hexadecimal digits, `:` and `.`.
    ///
    /// A check of a URL and a connection may read escapes and other characters differently: libcurl takes `127.0.0.%31`
    /// for 127.0.0.1.
    package var hasPlainHost: Bool {
        guard let host, !host.isEmpty else { return false }
        guard host.utf8.first == UInt8(ascii: "[") else {
            return host.utf8.allSatisfy {
                (0x61...0x7A).contains($0.asciiLowercased) || (0x30...0x39).contains($0) || "-._".utf8.contains($0)
            }
        }
        return host.utf8.last == UInt8(ascii: "]")
            && host.utf8.dropFirst().dropLast().allSatisfy { $0.hexValue != nil || ":.".utf8.contains($0) }
    }
}
