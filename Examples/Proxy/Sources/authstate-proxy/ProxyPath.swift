/// The rules for the path of a request: it stays below the base, however often a server decodes it.
enum ProxyPath {
    /// Returns whether a path names something below the base.
    ///
    /// Refuses dot segments, also with path parameters (`..;x`), segments of path parameters alone (`;x`), which some servers read as
    /// empty, encoded slashes and backslashes, control characters, the overlong forms of UTF-8 that some servers decode, broken
    /// percent-encoding, and two slashes at the beginning.
    static func isContained(_ path: String) -> Bool {
        guard path.isEmpty || path.hasPrefix("/"), !path.hasPrefix("//"), isEncoded(Array(path.utf8)) else {
            return false
        }
        return path.utf8.split(separator: slash, omittingEmptySubsequences: false).allSatisfy { isPlain(Array($0)) }
    }

    /// Returns the text with every character percent-encoded that a path or a query cannot have (RFC 3986, section 3.3).
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isAllowed(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let slash = UInt8(ascii: "/")
    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(byte)
        }
    }

    /// Whether a segment, and each text that decoding makes of it, is a name. No server decodes more than a few times, and each
    /// time takes a pass over the whole segment.
    private static func isPlain(_ segment: [UInt8], depth: Int = 0) -> Bool {
        guard depth <= 4 else { return false }
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        guard !name.isEmpty || segment.isEmpty, !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8),
            !segment.contains(where: isRefused), !hasOverlongForm(segment)
        else { return false }
        let decoded = decoded(segment)
        return decoded == segment || isPlain(decoded, depth: depth + 1)
    }

    /// Whether no segment has this byte: a separator, a control character, or one that UTF-8 never has.
    private static func isRefused(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == slash || byte == UInt8(ascii: "\\") || byte == 0xC0 || byte == 0xC1
            || byte >= 0xF5
    }

    /// Whether three or four bytes stand for a character that has fewer (RFC 3629, section 3).
    private static func hasOverlongForm(_ segment: [UInt8]) -> Bool {
        zip(segment, segment.dropFirst()).contains { first, second in
            first == 0xE0 && (0x80..<0xA0).contains(second) || first == 0xF0 && (0x80..<0x90).contains(second)
        }
    }

    /// Whether each percent sign begins a triplet (RFC 3986, section 2.1).
    private static func isEncoded(_ bytes: [UInt8]) -> Bool {
        bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || triplet(in: bytes, at: $0) != nil }
    }

    /// Decodes each triplet once, and keeps other bytes.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = triplet(in: bytes, at: index)
            result.append(byte ?? bytes[index])
            index += byte == nil ? 1 : 3
        }
        return result
    }

    private static func triplet(in bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
            let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
            let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
        else { return nil }
        return UInt8(high << 4 | low)
    }
}
