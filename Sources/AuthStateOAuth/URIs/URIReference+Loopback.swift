extension URIReference {
    /// Whether the host reaches this machine, however it is written: for refusing, where `isLoopback` is for allowing.
    ///
    /// A name that only the resolver leads here is beyond what a text can tell.
    package var reachesThisMachine: Bool {
        guard let host else { return false }
        let name = host.lowercased()
        if name.hasPrefix("[") { return Self.isLocalIPv6(name.dropFirst().prefix { $0 != "]" && $0 != "%" }) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: true)
        if labels.last == "localhost" { return true }
        return Self.ipv4(labels).map(Self.isLocalIPv4) ?? false
    }

    /// 127.0.0.0/8, and 0.0.0.0/8, which systems take for this host (RFC 1122, section 3.2.1.3).
    private static func isLocalIPv4(_ address: UInt32) -> Bool { [0, 127].contains(address >> 24) }

    /// An IPv4 address in any form that resolvers understand: one to four numbers, decimal, octal or hexadecimal.
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

    /// `::1`, `::`, and the local IPv4 addresses mapped into IPv6 (RFC 4291, section 2.5).
    private static func isLocalIPv6(_ text: Substring) -> Bool {
        guard let groups = ipv6(text) else { return false }
        let tail = UInt32(groups[6]) << 16 | UInt32(groups[7])
        guard groups[..<5].allSatisfy({ $0 == 0 }) else { return false }
        return switch groups[5] {
        case 0: tail <= 1 || tail > 0xFFFF && isLocalIPv4(tail)
        case 0xFFFF: isLocalIPv4(tail)
        default: false
        }
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
