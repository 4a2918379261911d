extension InternetAddress {
    /// The address that a URL's host is, in any form that resolvers understand: `127.1` and `0x7f000001` are 127.0.0.1.
    /// IPv6 stands in brackets; a zone after `%` is ignored. Nil for a name.
    public init?(host: some StringProtocol) {
        let text = host.lowercased()
        if text.hasPrefix("[") {
            guard let groups = Self.ipv6(text.dropFirst().prefix { $0 != "]" && $0 != "%" }) else { return nil }
            self.init(ipv6: groups)
        } else {
            guard let number = Self.ipv4(text.split(separator: ".")) else { return nil }
            self.init(ipv4: number)
        }
    }

    /// Whether a URL's host reaches this machine as far as its text tells: by number, as `localhost`, or as a name under it.
    ///
    /// A transport sends nothing that goes there through a proxy.
    public static func isThisMachine(_ host: some StringProtocol) -> Bool {
        isNameOfThisMachine(host) || InternetAddress(host: host)?.isThisMachine ?? false
    }

    /// Whether a host is `localhost` or a name under it (RFC 6761, section 6.3).
    static func isNameOfThisMachine(_ host: some StringProtocol) -> Bool {
        host.lowercased().split(separator: ".").last == "localhost"
    }

    /// One to four numbers, decimal, octal or hexadecimal; the last one fills what is left.
    private static func ipv4(_ labels: [Substring]) -> UInt32? {
        guard (1...4).contains(labels.count) else { return nil }
        let numbers = labels.compactMap { label -> UInt64? in
            if label.hasPrefix("0x") { return label.count == 2 ? 0 : UInt64(label.dropFirst(2), radix: 16) }
            return label.hasPrefix("0") && label.count > 1 ? UInt64(label, radix: 8) : UInt64(label)
        }
        guard numbers.count == labels.count, let last = numbers.last else { return nil }
        let leading = numbers.dropLast()
        guard leading.allSatisfy({ $0 < 256 }), last < UInt64(1) << (8 * (4 - leading.count)) else { return nil }
        return leading.enumerated().reduce(UInt32(last)) { $0 | UInt32($1.element) << (24 - 8 * $1.offset) }
    }

    private static func ipv6(_ text: Substring) -> [UInt16]? {
        func groups(_ text: Substring) -> [UInt16]? {
            var result: [UInt16] = []
            for part in text.split(separator: ":") {
                if part.contains(".") {
                    guard let address = ipv4(part.split(separator: ".")) else { return nil }
                    result += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
                } else {
                    guard let group = UInt16(part, radix: 16) else { return nil }
                    result.append(group)
                }
            }
            return result
        }
        let gap = text.firstRange(of: "::")
        guard let head = groups(gap.map { text[..<$0.lowerBound] } ?? text),
            let tail = groups(gap.map { text[$0.upperBound...] } ?? "")
        else { return nil }
        let zeros = 8 - head.count - tail.count
        guard gap == nil ? zeros == 0 : zeros >= 0 else { return nil }
        return head + Array(repeating: 0, count: zeros) + tail
    }
}
